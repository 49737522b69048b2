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

/// For whom watches beside systemd.
struct Heartbeat {
  Duration within = Duration::zero();  // zero: nobody does
  std::function<void()> tell = {};     // from any thread
};

/// Belongs to the first loop's thread, save for what says otherwise.
class Lifecycle final : public DrainOwner {
 public:
  /// All of it outlives this. Pre: loops[i] is the one of workers[i]
  Lifecycle(RequestService& service, std::span<Loop* const> loops, std::span<Worker* const> workers,
            const SystemdNotify& systemd, Heartbeat heartbeat, Duration leave);

  /// From any thread: queued on the first loop, so before that runs it is the first thing there.
  void begin();
  /// From any other thread: waits until connections are let in, or nothing will come of it.
  ///
  /// errors  the service did not start; all that had begun is stopped again
  [[nodiscard]] Result<void> wait_begun();
  /// From any thread: leaves, drains for so long at most, then ends. Again: drains at once, and the
  /// earlier end holds.
  void stop(Duration drain) noexcept;

  /// On the first loop's thread: as `stop`, but that another process has taken over. It does not
  /// leave, nor tell systemd: that one is in charge.
  void hand_over(Duration drain) noexcept;

  /// From any thread: whether `stop` has reached the loop, or the start has failed.
  [[nodiscard]] bool is_stopping() const noexcept {
    return is_stopping_.load(std::memory_order_acquire);
  }

  /// On the worker's own thread.
  void on_drained() noexcept override;

 private:
  [[nodiscard]] Task<> run();
  [[nodiscard]] Task<Result<void>> start();
  [[nodiscard]] Task<> serve();
  [[nodiscard]] Task<> leave();
  [[nodiscard]] Task<> stop_service();
  [[nodiscard]] Task<> end_loop(std::size_t index);
  void want_stop(Duration drain) noexcept;
  void drain_all() noexcept;

  /// Counts the loops that have done a step; `co_await` waits for all of them.
  struct Barrier {
    std::size_t left;
    AsyncEvent all_are_there{};
    void arrive() noexcept {
      if (--left == 0) {
        all_are_there.set();
      }
    }
  };
  /// Runs `step(index)` on each loop, and waits until all have told.
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
  std::optional<Instant> drained_by_;  // once it is to stop
  Departure departure_ = Departure::stop;
  bool is_draining_ = false;
  CancelSource starting_;
  AsyncEvent stop_wanted_;
  AsyncEvent drain_wanted_;  // a further stop
  Barrier loops_begun_;
  Barrier loops_drained_;
  Barrier loops_ended_;
  std::vector<std::unique_ptr<Scope>> watches_;  // each its loop's own
  std::vector<std::unique_ptr<Scope>> ends_;     // so are these
  Scope scope_;
};

}  // namespace detail::server
}  // namespace eider
