// Watches the event loops of a server: reports their state and blocked loops.
// Layering: must not wait for an event loop's thread, nor be delayed by a blocked one.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/signals.h"
#include "eider/io/runtime/timer.h"
#include "eider/server/server.h"
#include "eider/server/state.h"
#include "eider/server/worker.h"

namespace eider::detail::server {

/// Has its own thread and loop. Everything belongs to that thread, unless documented otherwise.
class Inspector final : private Timer {
 public:
  using State = std::shared_ptr<const ServerState>;
  /// Called on the inspector's thread, or on the caller's if it has none. Null: too many requests.
  using Told = std::function<void(const State&)>;

  /// The data that it reads from the server, from any thread.
  struct Subject {
    std::span<Loop* const> loops;
    std::span<Worker* const> workers;  // of the loops, in the same order
    const ServerOptions& options;
    /// Fills in the data that the loops do not have.
    std::function<void(ServerState&)> add_facts;
  };

  /// Pre: everything in `subject` outlives this
  explicit Inspector(Subject subject);
  ~Inspector();
  Inspector(const Inspector&) = delete;
  Inspector& operator=(const Inspector&) = delete;

  /// Registers the thread of a loop; exists while the loop runs, on its thread.
  class PerLoop {
   public:
    PerLoop(Inspector& inspector, std::size_t index);
    PerLoop(const PerLoop&) = delete;
    PerLoop& operator=(const PerLoop&) = delete;
    ~PerLoop();
    /// Returns the object of this thread; null if there is none.
    [[nodiscard]] static const PerLoop* here() noexcept;
    [[nodiscard]] Inspector& inspector() const noexcept { return inspector_; }
    [[nodiscard]] std::shared_ptr<const LoopNumbers> numbers() const;

   private:
    Inspector& inspector_;
    std::size_t index_;
  };

  // From any thread.

  /// Handles SIGUSR1 and checks for blocked loops, if the options say so. Call it once.
  void begin();
  void ask(Told told);

 private:
  /// Handles SIGUSR1.
  class Signal;

  /// The inspector's knowledge about a loop.
  struct Looked {
    std::optional<LoopState> told;      // since the last request
    bool is_asked = false;              // and has not responded
    std::optional<Instant> stuck_turn;  // the turn that was already logged
    std::optional<pthread_t> thread;    // while it runs; locked by threads_
  };

  [[nodiscard]] bool run_thread() noexcept;
  void hear_signal();
  void tell(const State& state) const noexcept;
  void take(Told told);
  void gather();
  void ask_loop(std::size_t index);
  void take_response(std::size_t index, LoopState state);
  void expire() override;
  void finish();
  [[nodiscard]] LoopState silent(std::size_t index);
  [[nodiscard]] StuckState stuck(std::size_t index, Duration since);
  void watch();
  void watch(std::size_t index);

  class WatchTimer final : public Timer {
   public:
    explicit WatchTimer(Inspector& inspector) noexcept : inspector_(inspector) {}
    void expire() override { inspector_.watch(); }

   private:
    Inspector& inspector_;
  };

  const Subject subject_;
  const Duration stuck_after_;
  const Instant began_;
  std::mutex start_;    // locks the start of the thread
  std::mutex threads_;  // locks Looked::thread, also while a thread is inspected
  std::vector<Looked> loops_;
  std::unique_ptr<Loop> loop_;  // created with the thread
  std::unique_ptr<Signal> signal_;
  WatchTimer watch_timer_{*this};
  Instant watch_due_;
  bool is_gathering_ = false;
  Instant last_at_;
  State last_;
  std::vector<Told> waiting_;
  std::thread thread_;
};

}  // namespace eider::detail::server
