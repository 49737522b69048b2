// A linked list whose links are in its elements: O(1) insertion and removal, no allocation.
// Layering: must not own its members: each leaves the list when it is destroyed.
#pragma once

namespace eider {

/// What a class derives from to be a member of one IntrusiveList at a time.
class ListNode {
 public:
  ListNode() noexcept = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;
  ~ListNode() { unlink(); }

  [[nodiscard]] bool is_linked() const noexcept { return next_ != nullptr; }

  /// Leaves the list that it is in, if any.
  void unlink() noexcept {
    if (next_ != nullptr) {
      previous_->next_ = next_;
      next_->previous_ = previous_;
      next_ = nullptr;
      previous_ = nullptr;
    }
  }

 private:
  template <class T>
  friend class IntrusiveList;

  // Both null, or both set: the list itself is the node that closes the ring.
  ListNode* previous_ = nullptr;
  ListNode* next_ = nullptr;
};

/// Members in the order of their joining. T derives from ListNode, accessibly to the list.
/// Destroying the list lets all members go.
template <class T>
class IntrusiveList {
 public:
  IntrusiveList() noexcept { close_ring(); }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;
  ~IntrusiveList() {
    while (!empty()) {
      ring_.next_->unlink();
    }
    ring_.next_ = nullptr;  // so that the ring's own end unlinks nothing
  }

  [[nodiscard]] bool empty() const noexcept { return ring_.next_ == &ring_; }
  /// The member that joined first, or null.
  [[nodiscard]] T* front() const noexcept {
    return empty() ? nullptr : static_cast<T*>(ring_.next_);
  }

  /// Pre: `member` is in no list.
  void push_back(T& member) noexcept {
    ListNode& node = member;
    node.previous_ = ring_.previous_;
    node.next_ = &ring_;
    ring_.previous_->next_ = &node;
    ring_.previous_ = &node;
  }
  /// Takes out the member that joined first; null when there is none.
  T* pop_front() noexcept {
    T* first = front();
    if (first != nullptr) {
      static_cast<ListNode*>(first)->unlink();
    }
    return first;
  }
  /// Calls `look(member)` for each, in their order, which says whether it wants the next one. No
  /// member joins or leaves meanwhile.
  template <class Look>
  void look_through(Look look) const {
    for (ListNode* node = ring_.next_; node != &ring_; node = node->next_) {
      if (!look(*static_cast<const T*>(node))) {
        return;
      }
    }
  }
  /// Takes all members of `other`, behind those already here.
  void take(IntrusiveList& other) noexcept {
    while (T* member = other.pop_front()) {
      push_back(*member);
    }
  }

 private:
  void close_ring() noexcept {
    ring_.next_ = &ring_;
    ring_.previous_ = &ring_;
  }

  ListNode ring_;
};

}  // namespace eider
