// Task<T>: a coroutine as a value that owns its frame and everything it waits for.
// Layering: must not know event loops: a task waits for awaiters, which leave their lists when
// destroyed.
#pragma once

#include <coroutine>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/base/work.h"
#include "eider/io/runtime/frame_pool.h"

namespace eider {

/// Is notified when a task it started has ended.
class TaskOwner {
 public:
  /// Called once, at the end of the task: note it, and take the result and destroy the task later
  /// (with a Deferred). Not called for a task that ends inside `start`.
  virtual void on_task_done() noexcept = 0;

 protected:
  ~TaskOwner() = default;
};

template <class T>
class Task;

namespace detail::runtime {

/// A function as a parameter or variable of a coroutine. g++ 14 crashes on a frame with a bare
/// pointer to a function whose signature has a type of an anonymous namespace, when an included
/// file (a header, a unity build) declares that type.
template <class F>
struct InFrame {
  explicit InFrame(F given) : function(static_cast<F&&>(given)) {}

  F function;
};

class TaskPromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    release_frame(frame, bytes);
  }

  std::suspend_always initial_suspend() const noexcept { return {}; }

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
      return self.promise().end();
    }
    void await_resume() const noexcept {}
  };
  FinalAwaiter final_suspend() const noexcept { return {}; }

  bool is_started() const noexcept { return continuation_ != nullptr; }

  /// Sets the coroutine to resume at the end.
  void continue_with(std::coroutine_handle<> continuation) noexcept {
    continuation_ = continuation;
  }
  void tell(TaskOwner* owner) noexcept { owner_ = owner; }

  std::coroutine_handle<> end() noexcept {
    // The owner must only note the end: the frame of this task is still running.
    if (owner_ != nullptr) {
      owner_->on_task_done();
    }
    return continuation_;
  }

 private:
  std::coroutine_handle<> continuation_;  // null before the start, then the no-op or the waiter
  TaskOwner* owner_ = nullptr;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  TaskPromise() noexcept {}
  TaskPromise(const TaskPromise&) = delete;
  TaskPromise& operator=(const TaskPromise&) = delete;
  ~TaskPromise() {
    switch (outcome_) {
      case Outcome::none:
        break;
      case Outcome::value:
        value_.~T();
        break;
      case Outcome::exception:
        exception_.~exception_ptr();
        break;
    }
  }

  Task<T> get_return_object() noexcept;

  template <class U = T>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    ::new (static_cast<void*>(&value_)) T(std::forward<U>(value));
    outcome_ = Outcome::value;
  }
  /// Exists only for its compile-time message.
  template <class U>
    requires(!std::is_convertible_v<U &&, T> &&
             requires(U& awaited) { awaited.await_suspend(std::coroutine_handle<>()); })
  void return_value(U&& /*awaited*/) {
    static_assert(sizeof(U) == 0, "eider: this task must be awaited: write co_return co_await …");
  }
  void unhandled_exception() noexcept {
    ::new (static_cast<void*>(&exception_)) std::exception_ptr(std::current_exception());
    outcome_ = Outcome::exception;
  }

  T take() {
    if (outcome_ == Outcome::exception) [[unlikely]] {
      std::rethrow_exception(exception_);
    }
    return std::move(value_);
  }

 private:
  enum class Outcome : unsigned char { none, value, exception };

  union {
    T value_;
    std::exception_ptr exception_;
  };
  Outcome outcome_ = Outcome::none;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object() noexcept;

  void return_void() const noexcept {}
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

  void take() const {
    if (exception_ != nullptr) [[unlikely]] {
      std::rethrow_exception(exception_);
    }
  }

 private:
  std::exception_ptr exception_;
};

}  // namespace detail::runtime

/// A coroutine that starts when it is awaited or started, and its result.
///
/// Destroying a task cancels it: wherever it is suspended, its locals and all tasks below it are
/// destroyed, innermost last awaited first. It must not be destroyed while it runs, that is from
/// inside itself or from inside a function that it calls; a Scope (scope.h) ensures that.
///
/// All of it belongs to one thread at a time.
///
/// cost     one block from the frame pool; a `co_await` that does not have to wait is a call
template <class T = void>
class [[nodiscard(
    "a task does not run until it is awaited: write co_await in front of the call")]] Task {
 public:
  using promise_type = detail::runtime::TaskPromise<T>;
  using value_type = T;
  static_assert(!std::is_reference_v<T>,
                "a task must return a value or a pointer, not a reference");

  Task() noexcept = default;
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    // Destroy the old task last, so that its locals find the new one in place.
    Task old(std::move(*this));
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) {
      handle_.destroy();
    }
  }

  /// Returns whether there is no coroutine: default constructed or moved from.
  [[nodiscard]] bool is_empty() const noexcept { return !handle_; }
  /// Returns whether the coroutine has ended, by value or by exception.
  [[nodiscard]] bool is_done() const noexcept { return handle_ && handle_.done(); }

  /// Runs the coroutine to its end or to its first wait.
  ///
  /// returns  is_done()
  bool start() {
    ensure(handle_ && !handle_.promise().is_started(), "task started twice");
    handle_.promise().continue_with(std::noop_coroutine());
    const WorkKept kept;  // restores the current work if the coroutine is suspended in another one
    handle_.resume();
    return handle_.done();
  }

  /// Notifies `owner` of the end. Pre: started, not done; `owner` outlives it or this Task.
  void tell(TaskOwner& owner) noexcept { handle_.promise().tell(&owner); }
  /// Resumes `waiting` at the end, which may destroy this task. Pre: started, not done.
  void resume_at_end(std::coroutine_handle<> waiting) noexcept {
    handle_.promise().continue_with(waiting);
  }

  /// Returns the result, once; or throws the exception of the coroutine. Pre: is_done().
  T take() {
    ensure(is_done(), "result taken from an unfinished task");
    return handle_.promise().take();
  }

  class Awaiter;
  /// Starts the task if needed, waits for its end, and returns the result like `take`, so only
  /// once.
  Awaiter operator co_await() & noexcept { return Awaiter(handle_); }
  Awaiter operator co_await() && noexcept { return Awaiter(handle_); }

 private:
  friend promise_type;
  using Handle = std::coroutine_handle<promise_type>;
  explicit Task(Handle handle) noexcept : handle_(handle) {}

  Handle handle_;
};

/// Refers to the task, which its `co_await` expression keeps alive.
template <class T>
class Task<T>::Awaiter {
 public:
  explicit Awaiter(Handle task) noexcept : task_(task) {}

  bool await_ready() const noexcept {
    ensure(static_cast<bool>(task_), "an empty task awaited");
    return task_.done();
  }
  // The child is called, not resumed by symmetric transfer: without optimization or with a
  // sanitizer g++ makes no tail call of that, and a loop over ready tasks would use up the stack.
  // Only an end that was awaited resumes by transfer, at most as deep as the chain of tasks.
  bool await_suspend(std::coroutine_handle<> waiting) const {
    auto& promise = task_.promise();
    if (!promise.is_started()) {
      // So it can return to this call if it ends immediately.
      promise.continue_with(std::noop_coroutine());
      task_.resume();
      if (task_.done()) {
        return false;
      }
    }
    promise.continue_with(waiting);
    return true;
  }
  T await_resume() const { return task_.promise().take(); }

 private:
  Handle task_;
};

namespace detail::runtime {

template <class T>
Task<T> TaskPromise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

inline Task<void> TaskPromise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

}  // namespace detail::runtime
}  // namespace eider
