// Waiting for one of two tasks.
// Must not decide what becomes of the other one: the task that waits does, and at once.
#pragma once

#include <coroutine>

#include "eider/io/runtime/task.h"

namespace eider::detail::client {

/// `co_await either` goes on when the first of them has come to its end. The other one is to be
/// destroyed before anything else is waited for.
///
/// Pre: both have been started.
template <class A, class B>
class Either {
 public:
  Either(Task<A>& one, Task<B>& other) noexcept : one_(one), other_(other) {}

  bool await_ready() const noexcept { return one_.is_done() || other_.is_done(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    one_.resume_at_end(waiting);
    other_.resume_at_end(waiting);
  }
  void await_resume() const noexcept {}

 private:
  Task<A>& one_;
  Task<B>& other_;
};

}  // namespace eider::detail::client
