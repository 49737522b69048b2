// A linked list whose links are in its elements: O(1) insertion and removal, no allocation.
// Layering: must not own its members: each leaves the list when it is destroyed.
#pragma once

namespace eider {

/// Base class of the members of an IntrusiveList. An object is in at most one list at a time.
class ListNode {
 public:
  ListNode() noexcept = default;
  ListNode(const ListNode&) = delete;
  ListNode& operator=(const ListNode&) = delete;
  ~ListNode() { unlink(); }

  [[nodiscard]] bool is_linked() const noexcept { return next_ != nullptr; }

  /// Removes the member from its list, if any.
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

  // Both null, or both set: the list's own node closes the ring.
  ListNode* previous_ = nullptr;
  ListNode* next_ = nullptr;
};

/// Members in the order of insertion. T derives from ListNode, accessibly to the list. Destroying
/// the list unlinks all members.
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
    ring_.next_ = nullptr;  // so that the destructor of the list's own node unlinks nothing
  }

  [[nodiscard]] bool empty() const noexcept { return ring_.next_ == &ring_; }
  /// Returns the oldest member, or null.
  [[nodiscard]] T* front() const noexcept {
    return empty() ? nullptr : static_cast<T*>(ring_.next_);
  }

  /// Appends `member`. Pre: `member` is in no list.
  void push_back(T& member) noexcept {
    ListNode& node = member;
    node.previous_ = ring_.previous_;
    node.next_ = &ring_;
    ring_.previous_->next_ = &node;
    ring_.previous_ = &node;
  }
  /// Removes and returns the oldest member, or null if the list is empty.
  T* pop_front() noexcept {
    T* first = front();
    if (first != nullptr) {
      static_cast<ListNode*>(first)->unlink();
    }
    return first;
  }
  /// Calls `look(member)` for each member in order, until it returns false. `look` must not add or
  /// remove members.
  template <class Look>
  void look_through(Look look) const {
    for (ListNode* node = ring_.next_; node != &ring_; node = node->next_) {
      if (!look(*static_cast<const T*>(node))) {
        return;
      }
    }
  }
  /// Moves all members of `other` to the end of this list.
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
