// A scope owns the tasks that it started: no task outlives its scope.
// Layering: must not be destroyed from inside one of its own tasks; `cancel` may be called from
// anywhere.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/task.h"

namespace eider {

class Loop;

/// Runs tasks concurrently on one event loop. Destroying it cancels the unfinished ones.
class Scope final : private Deferred {
 public:
  class JoinAwaiter;

  Scope() noexcept = default;
  ~Scope();

  /// Runs `task` to its first wait, and owns it from then on. A cancelled scope drops the task.
  ///
  /// cost     one block of the frame pool, and none for a task that does not have to wait
  void start(Task<> task);

  /// Returns the number of unfinished tasks.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Cancels all tasks soon, while none of them runs; no more can be started.
  void cancel() noexcept;
  /// Destroys all tasks now; no more can be started. For the end of a loop: nothing is reported to
  /// `join`. Must not be called from inside one of the tasks.
  void end_tasks() noexcept;

  /// `co_await scope.join()` waits until no task is left, and throws the exception of the first
  /// task that failed. Only one task may wait, and not one of this scope.
  [[nodiscard]] JoinAwaiter join() noexcept;

 private:
  struct Entry;

  void run() override;
  void add(Task<> task);
  void note_end(Entry& entry) noexcept;
  void keep_failure(Task<>& task) noexcept;
  void destroy(Entry& entry) noexcept;
  void destroy_all(IntrusiveList<Entry>& entries) noexcept;
  void resume_joining();

  IntrusiveList<Entry> running_;
  IntrusiveList<Entry> ended_;  // destroyed by the next `run`, after their own code has returned
  std::size_t size_ = 0;
  bool is_cancelled_ = false;
  std::exception_ptr failure_;
  JoinAwaiter* joining_ = nullptr;
  Loop* loop_ = nullptr;  // where its tasks run; null before the first task
};

class Scope::JoinAwaiter {
 public:
  explicit JoinAwaiter(Scope& scope) noexcept : scope_(&scope) {}
  JoinAwaiter(const JoinAwaiter&) = delete;
  JoinAwaiter& operator=(const JoinAwaiter&) = delete;
  ~JoinAwaiter();

  bool await_ready() const noexcept { return scope_->size_ == 0; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  void await_resume() const;

 private:
  friend Scope;

  Scope* scope_;
  detail::runtime::Suspended waiting_;
};

inline Scope::JoinAwaiter Scope::join() noexcept {
  return JoinAwaiter(*this);
}

}  // namespace eider
