// Requests to cancel work, and ways to be notified of them.
// Layering: must not stop anything by itself: the running code checks the token or registers a
// callback.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <optional>
#include <utility>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/task.h"

namespace eider {

class CancelListener;

namespace detail::runtime {

struct CancelState {
  std::atomic<std::uint32_t> references{1};
  std::atomic<bool> is_cancelled{false};
  IntrusiveList<CancelListener> listeners;  // used only on the source's thread
};

}  // namespace detail::runtime

/// A token that reports whether its source was cancelled. Copies may be read on any thread.
class Cancel {
 public:
  /// A token that is never cancelled.
  Cancel() noexcept = default;
  Cancel(const Cancel& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) {
      state_->references.fetch_add(1, std::memory_order_relaxed);
    }
  }
  Cancel(Cancel&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Cancel& operator=(Cancel other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Cancel() { release(); }

  [[nodiscard]] bool is_cancelled() const noexcept {
    return state_ != nullptr && state_->is_cancelled.load(std::memory_order_acquire);
  }

 private:
  friend class CancelSource;
  friend class CancelListener;
  explicit Cancel(detail::runtime::CancelState* state) noexcept : state_(state) {}
  void release() noexcept;

  detail::runtime::CancelState* state_ = nullptr;
};

/// Cancels its tokens. Costs nothing until a token is created; destroying it does not cancel.
class CancelSource {
 public:
  CancelSource() noexcept = default;
  CancelSource(CancelSource&&) noexcept = default;
  CancelSource& operator=(CancelSource&&) noexcept = default;

  /// Returns a token of this source. cost  one allocation for the first
  [[nodiscard]] Cancel token();

  /// Cancels all tokens; listeners are called soon, not from inside this call.
  /// Pre: called on the thread of the event loop on which the listeners listen.
  void cancel() noexcept;

  [[nodiscard]] bool is_cancelled() const noexcept { return is_cancelled_; }

 private:
  Cancel token_;
  bool is_cancelled_ = false;
};

/// Called once on the event loop's thread when the source cancels, never from inside `cancel`.
class CancelListener : private ListNode {
 public:
  virtual void on_cancel() = 0;

 protected:
  CancelListener() noexcept = default;
  ~CancelListener() = default;

  /// Starts listening on `loop`; if the token is already cancelled, the call comes soon.
  void listen(const Cancel& cancel, Loop& loop) noexcept;

 private:
  friend class CancelSource;
  friend class IntrusiveList<CancelListener>;

  class Call final : public Deferred {
   public:
    explicit Call(CancelListener& listener) noexcept : listener_(listener) {}
    void queue() noexcept { loop->defer(*this); }
    void run() override { listener_.on_cancel(); }

    Loop* loop = nullptr;

   private:
    CancelListener& listener_;
  };

  Call call_{*this};
};

namespace detail::runtime {

/// Resumes at the end of a started task or when a token is cancelled, whichever is first.
template <class T>
class CancelAwaiter final : private CancelListener {
 public:
  CancelAwaiter(Task<T>& task, const Cancel& cancel, Loop& loop) noexcept
      : task_(task), cancel_(cancel), loop_(loop) {}

  bool await_ready() const noexcept { return task_.is_done(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    // If the task ends before the deferred call, the destructor of this awaiter withdraws the call.
    listen(cancel_, loop_);
    task_.resume_at_end(waiting);
  }
  void await_resume() const noexcept {}

 private:
  void on_cancel() override { waiting_.resume(); }

  Task<T>& task_;
  const Cancel& cancel_;
  Loop& loop_;
  Suspended waiting_;
};

template <class T>
Task<> run_until(Task<T>& task, const Cancel& cancel) {
  task.start();
  CancelAwaiter<T> end_or_cancel(task, cancel, Loop::current());
  co_await end_or_cancel;
  // The task is destroyed here, outside of its own code, which is the only safe place.
  if (!task.is_done()) {
    task = Task<T>();
  }
}

}  // namespace detail::runtime

/// Runs `task` until `cancel` is cancelled, then destroys it.
///
/// returns  the result of the task, or nothing if it was cancelled; throws the task's exception
template <class T>
Task<std::optional<T>> with_cancel(Task<T> task, Cancel cancel) {
  co_await detail::runtime::run_until(task, cancel);
  if (task.is_empty()) {
    co_return std::nullopt;
  }
  co_return task.take();
}

/// Runs a task without a value until `cancel` is cancelled.
///
/// returns  whether the task ended
inline Task<bool> with_cancel(Task<> task, Cancel cancel) {
  co_await detail::runtime::run_until(task, cancel);
  if (task.is_empty()) {
    co_return false;
  }
  task.take();
  co_return true;
}

}  // namespace eider
