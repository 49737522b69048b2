// One thread's event loop: what waits, on one interface over epoll, io_uring or a simulated kernel.
// Must not know any protocol. All of it belongs to its own thread, save `post` and `stop`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "eider/base/result.h"
#include "eider/runtime/time.h"

namespace eider {

class Stream;
class Listener;
class Timer;
class Deferred;

enum class Backend : std::uint8_t { automatic, epoll, io_uring };

class Loop {
 public:
  using Posted = std::move_only_function<void()>;

  /// Makes the loop of the calling thread's choice; it runs on whichever thread calls `run`.
  ///
  /// errors   `io_uring` was asked for by name and the kernel forbids or lacks it: the text says
  ///          which, and what to do. `automatic` falls back to epoll instead.
  [[nodiscard]] static Result<std::unique_ptr<Loop>> create(Backend backend);

  virtual ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// The loop that runs on this thread. Pre: called from within one.
  [[nodiscard]] static Loop& current() noexcept;

  /// "epoll", "io_uring" or "simulated".
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// Serves until `stop`.
  void run();
  /// From any thread or signal-free context: `run` returns after the turn it is in.
  void stop() noexcept;
  /// From any thread: `work` runs on this loop's thread in one of its next turns, in posting order.
  void post(Posted work);

  /// When this turn began, by the steady clock.
  [[nodiscard]] Instant now() const noexcept;
  /// Seconds since 1970 by the wall clock at this turn's begin, for Date and logs.
  [[nodiscard]] std::int64_t wall_seconds() const noexcept;

  /// `timer.expire()` is called once, in the first turn at or after `due` (resolution 1 ms, never
  /// early). An armed timer is moved.
  void arm(Timer& timer, Instant due) noexcept;
  /// `deferred.run()` is called once, after the events of this turn, before the loop sleeps.
  void defer(Deferred& deferred) noexcept;

 protected:
  Loop();
};

}  // namespace eider
