// Suspends a task for a duration, or for one turn of the event loop.
// Layering: must not be used to poll: await the event itself.
#pragma once

#include <coroutine>

#include "eider/core/base/work.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider {

/// The result of `sleep_for` and `sleep_until`, for `co_await`. The frame contains the timer.
class SleepAwaiter final : private Timer {
 public:
  SleepAwaiter(Loop& loop, Instant due) noexcept : loop_(loop), due_(due) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    note_.begin(WaitNote::What::sleep, {}, loop_.now());
    loop_.arm(*this, due_);
  }
  void await_resume() const noexcept {}

 private:
  void expire() override {
    note_.end();
    waiting_.resume();
  }

  Loop& loop_;
  Instant due_;
  detail::runtime::Suspended waiting_;
  WaitNote note_;
};

/// The result of `yield_now`, for `co_await`.
class YieldAwaiter final : private Deferred {
 public:
  explicit YieldAwaiter(Loop& loop) noexcept : loop_(loop) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    loop_.defer(*this);
  }
  void await_resume() const noexcept {}

 private:
  void run() override { waiting_.resume(); }

  Loop& loop_;
  detail::runtime::Suspended waiting_;
};

/// `co_await sleep_until(due)` continues in the first turn at or after `due`, never before.
///
/// cost     no allocation; 1 ms resolution
[[nodiscard]] inline SleepAwaiter sleep_until(Instant due) noexcept {
  return {Loop::current(), due};
}

/// `co_await sleep_for(200ms)` waits for a duration, counted from the start of this turn.
[[nodiscard]] inline SleepAwaiter sleep_for(Duration duration) noexcept {
  Loop& loop = Loop::current();
  return {loop, loop.now() + duration};
}

/// `co_await yield_now()` continues in this turn, after everything that is already queued.
[[nodiscard]] inline YieldAwaiter yield_now() noexcept {
  return YieldAwaiter(Loop::current());
}

}  // namespace eider
