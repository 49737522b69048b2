// A suspended coroutine in a wait queue, stored in its own frame.
// Layering: must not be resumed directly by an event, but at the end of the turn of the event loop.
#pragma once

#include <coroutine>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"

namespace eider::detail::runtime {

/// Resumes a coroutine later in this turn, unless it is destroyed before.
class Resumption final : public Deferred {
 public:
  /// Pre: called on the loop of the coroutine.
  void set(std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    loop_ = &Loop::current();
  }
  /// May be called outside of a turn, because tasks are also destroyed after their loop has
  /// stopped.
  void queue() noexcept { loop_->defer(*this); }
  void queue_after_event() noexcept { loop_->defer_after_event(*this); }
  void run() override { waiting_.resume(); }

 private:
  Suspended waiting_;
  Loop* loop_ = nullptr;
};

class Waiter : public ListNode {
 public:
  using List = IntrusiveList<Waiter>;

  /// Pre: it is in no list.
  void wait_in(List& list, std::coroutine_handle<> waiting) noexcept {
    resumption_.set(waiting);
    list.push_back(*this);
  }
  /// Removes it from its list, and resumes it later in this turn unless it is destroyed before.
  void wake() noexcept {
    unlink();
    resumption_.queue();
  }
  /// The same, but resumes it directly after the current event.
  void wake_after_event() noexcept {
    unlink();
    resumption_.queue_after_event();
  }
  /// Returns whether it was woken and not resumed yet.
  [[nodiscard]] bool is_woken() const noexcept { return resumption_.is_queued(); }

 protected:
  Waiter() noexcept = default;
  ~Waiter() = default;

 private:
  Resumption resumption_;
};

}  // namespace eider::detail::runtime
