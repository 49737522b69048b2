// Cancels a task when its time is over.
// Layering: must not be used to limit how long a socket may be silent; connections have their own
// deadlines.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider {
namespace detail::runtime {

/// Resumes at the end of a started task or at an instant, whichever is first.
template <class T>
class DeadlineAwaiter final : private Timer {
 public:
  DeadlineAwaiter(Task<T>& task, Loop& loop, Instant due) noexcept
      : task_(task), loop_(loop), due_(due) {}

  bool await_ready() const noexcept { return task_.is_done(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    loop_.arm(*this, due_);
    task_.resume_at_end(waiting);
  }
  void await_resume() const noexcept {}

 private:
  void expire() override { waiting_.resume(); }

  Task<T>& task_;
  Loop& loop_;
  Instant due_;
  Suspended waiting_;
};

template <class T>
Task<> run_until(Task<T>& task, Instant due) {
  task.start();
  DeadlineAwaiter<T> end_or_deadline(task, Loop::current(), due);
  // The timer is in this frame, so it ends with the wait.
  co_await end_or_deadline;
  if (!task.is_done()) {
    task = Task<T>();
  }
}

inline Task<> until_set(AsyncEvent& event) {
  co_await event.wait();
}

}  // namespace detail::runtime

/// Runs `task`, and cancels it after `limit`.
///
/// returns  the result of the task, or nothing if it was cancelled; throws the task's exception
template <class T>
Task<std::optional<T>> with_deadline(Task<T> task, Duration limit) {
  const Instant due = Loop::current().now() + limit;
  co_await detail::runtime::run_until(task, due);
  if (task.is_empty()) {
    co_return std::nullopt;
  }
  co_return task.take();
}

/// Runs a task without a value, and cancels it after `limit`.
///
/// returns  whether the task ended in time
inline Task<bool> with_deadline(Task<> task, Duration limit) {
  const Instant due = Loop::current().now() + limit;
  co_await detail::runtime::run_until(task, due);
  if (task.is_empty()) {
    co_return false;
  }
  task.take();
  co_return true;
}

/// Waits until the event is set, for at most `limit`.
///
/// returns  whether it was set in time
inline Task<bool> with_deadline(AsyncEvent& event, Duration limit) {
  return with_deadline(detail::runtime::until_set(event), limit);
}

}  // namespace eider
