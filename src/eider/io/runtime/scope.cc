#include "eider/io/runtime/scope.h"

#include <utility>

#include "eider/io/runtime/loop.h"

namespace eider {

struct Scope::Entry final : eider::ListNode, TaskOwner {
  Entry(Scope& its_scope, Task<> its_task) : scope(its_scope), task(std::move(its_task)) {}

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* entry, std::size_t bytes) noexcept {
    release_frame(entry, bytes);
  }
  void on_task_done() noexcept override { scope.note_end(*this); }

  Scope& scope;
  Task<> task;
};

Scope::~Scope() {
  if (joining_ != nullptr) {
    joining_->scope_ = nullptr;
  }
  end_tasks();
}

void Scope::end_tasks() noexcept {
  is_cancelled_ = true;  // tasks that are destroyed now cannot start new ones
  destroy_all(running_);
  destroy_all(ended_);
}

void Scope::start(Task<> task) {
  if (is_cancelled_) {
    return;
  }
  ++size_;  // counted while it runs, so that `join` waits for it
  const bool is_done = task.start();
  if (!is_done) {
    add(std::move(task));
    return;
  }
  keep_failure(task);
  --size_;
}

void Scope::add(Task<> task) {
  auto* entry = new Entry(*this, std::move(task));
  running_.push_back(*entry);
  loop_ = &Loop::current();
  entry->task.tell(*entry);
  if (is_cancelled_) {  // cancelled by the task itself, before its first wait
    loop_->defer(*this);
  }
}

void Scope::cancel() noexcept {
  is_cancelled_ = true;
  if (loop_ != nullptr) {
    loop_->defer(*this);
  }
}

void Scope::note_end(Entry& entry) noexcept {
  entry.unlink();
  ended_.push_back(entry);
  loop_->defer(*this);
}

void Scope::run() {
  while (Entry* entry = ended_.pop_front()) {
    keep_failure(entry->task);
    destroy(*entry);
  }
  if (is_cancelled_) {
    destroy_all(running_);
  }
  resume_joining();
}

void Scope::keep_failure(Task<>& task) noexcept {
  try {
    task.take();
  } catch (...) {
    if (failure_ == nullptr) {
      failure_ = std::current_exception();
    }
  }
}

void Scope::destroy(Entry& entry) noexcept {
  delete &entry;
  --size_;
}

void Scope::destroy_all(IntrusiveList<Entry>& entries) noexcept {
  while (Entry* entry = entries.pop_front()) {
    destroy(*entry);
  }
}

// Must be the last action of this scope in a turn: the joining coroutine may destroy it.
void Scope::resume_joining() {
  if (size_ == 0 && joining_ != nullptr) {
    std::exchange(joining_, nullptr)->waiting_.resume();
  }
}

Scope::JoinAwaiter::~JoinAwaiter() {
  if (scope_ != nullptr && scope_->joining_ == this) {
    scope_->joining_ = nullptr;
  }
}

void Scope::JoinAwaiter::await_suspend(std::coroutine_handle<> waiting) noexcept {
  ensure(scope_->joining_ == nullptr, "two tasks join one scope");
  waiting_ = waiting;
  scope_->joining_ = this;
}

void Scope::JoinAwaiter::await_resume() const {
  if (scope_->failure_ != nullptr) {
    std::rethrow_exception(std::exchange(scope_->failure_, nullptr));
  }
}

}  // namespace eider
