// One run of a server: starts the service and the event loops, drains and stops them.
// Layering: must not know connections: workers drain, and report when they are done.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/server/process/systemd_notify.h"
#include "eider/server/worker.h"

namespace eider {

class Loop;
class RequestService;

namespace detail::server {

/// A supervisor or other watcher, in addition to systemd, that must be notified that loops run.
struct Heartbeat {
  Duration within = Duration::zero();  // zero: none
  std::function<void()> tell = {};     // called on any thread
};

/// Belongs to the first loop's thread, unless documented otherwise.
class Lifecycle final {
 public:
  /// Everything passed must outlive this. Pre: loops[i] is the loop of workers[i]
  Lifecycle(RequestService& service, std::span<Loop* const> loops, std::span<Worker* const> workers,
            const SystemdNotify& systemd, Heartbeat heartbeat, Duration leave);

  /// From any thread. Queued on the first loop: if the loop does not run yet, this runs first
  /// there.
  void begin();
  /// From any other thread: waits until connections are accepted, or the start has failed.
  ///
  /// errors  the service did not start; everything that had started was stopped again
  [[nodiscard]] Result<void> wait_begun();
  /// From any thread: reports "not ready" for a while, drains for at most this time, then ends. A
  /// second call drains at once; the earlier deadline applies.
  void stop(Duration drain) noexcept;

  /// On the first loop's thread: like `stop`, but another process has taken over. So this does not
  /// report "not ready" and does not notify systemd.
  void hand_over(Duration drain) noexcept;

  /// From any thread: returns whether `stop` has reached the loop, or the start has failed.
  [[nodiscard]] bool is_stopping() const noexcept {
    return is_stopping_.load(std::memory_order_acquire);
  }

  /// On the worker's thread: all of its connections have ended.
  void on_drained() noexcept;

 private:
  [[nodiscard]] Task<> run();
  [[nodiscard]] Task<Result<void>> start();
  [[nodiscard]] Task<> serve();
  [[nodiscard]] Task<> leave();
  [[nodiscard]] Task<> stop_service();
  [[nodiscard]] Task<> end_loop(std::size_t index);
  void want_stop(Duration drain) noexcept;
  void drain_all() noexcept;

  /// Counts the loops that have finished a step; `co_await` waits for all of them.
  struct Barrier {
    std::size_t left;
    AsyncEvent all_are_there{};
    void arrive() noexcept {
      if (--left == 0) {
        all_are_there.set();
      }
    }
  };
  /// Runs `step(index)` on each loop. Each step calls `tell` when it is done.
  template <class Step>
  void on_each_loop(Step step);
  void tell(Barrier& barrier) noexcept;

  RequestService& service_;
  std::span<Loop* const> loops_;
  std::span<Worker* const> workers_;
  const SystemdNotify& systemd_;
  LoopWatchdog watchdog_;
  const Duration leave_;
  std::promise<Result<void>> begun_;
  std::atomic<bool> is_stopping_ = false;
  std::optional<Instant> drained_by_;  // once it must stop
  Departure departure_ = Departure::stop;
  bool is_draining_ = false;
  CancelSource starting_;
  AsyncEvent stop_wanted_;
  AsyncEvent drain_wanted_;  // by a second stop
  Barrier loops_begun_;
  Barrier loops_drained_;
  Barrier loops_ended_;
  std::vector<std::unique_ptr<Scope>> watches_;  // one per loop, used on its thread
  std::vector<std::unique_ptr<Scope>> ends_;     // the same
  Scope scope_;
};

}  // namespace detail::server
}  // namespace eider
