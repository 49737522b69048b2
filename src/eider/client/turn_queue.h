// A fair queue of calls that wait for shared connections.
// Layering: must not know the purpose of a turn: a resumed call checks its condition again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "eider/client/client_error.h"
#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/sync.h"

namespace eider::detail::client {

/// moved  the server closed the connection before processing the request: it precedes all others
enum class Rank : std::uint8_t { usual, moved };

/// Pre: it outlives its turns.
class TurnQueue {
 public:
  class Turn;

  [[nodiscard]] bool empty() const noexcept { return waiting_.empty() && moved_.empty(); }
  /// Returns the number of calls that were woken and have not continued yet.
  [[nodiscard]] std::size_t woken() const noexcept { return woken_; }
  /// Returns whether a new call has to wait for others.
  [[nodiscard]] bool is_any_ahead() const noexcept { return !empty() || woken_ != 0; }
  void wake_one() noexcept;
  void wake_all() noexcept;
  /// Wakes all calls with an error, because they wait in vain.
  void fail_all(const ClientError& fault);

 private:
  [[nodiscard]] Turn* front() const noexcept;

  IntrusiveList<Turn> moved_;
  IntrusiveList<Turn> waiting_;
  std::size_t woken_ = 0;
};

/// One waiting call. If it is destroyed with an unused wake-up, it passes that on.
class TurnQueue::Turn : private ListNode {
 public:
  Turn(TurnQueue& of, Rank rank) noexcept : of_(of) {
    (rank == Rank::moved ? of.moved_ : of.waiting_).push_back(*this);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn();

  [[nodiscard]] AsyncEvent& come() noexcept { return come_; }
  /// Called when the call checks again or gives up. Pre: it was woken.
  void use() noexcept {
    is_used_ = true;
    --of_.woken_;
  }
  [[nodiscard]] const std::optional<ClientError>& fault() const noexcept { return fault_; }

 private:
  friend TurnQueue;
  friend class IntrusiveList<Turn>;

  TurnQueue& of_;
  AsyncEvent come_;
  std::optional<ClientError> fault_;
  bool is_used_ = false;
};

inline TurnQueue::Turn* TurnQueue::front() const noexcept {
  return moved_.empty() ? waiting_.front() : moved_.front();
}

inline void TurnQueue::wake_one() noexcept {
  if (Turn* const turn = front()) {
    turn->unlink();
    ++woken_;
    turn->come_.set();
  }
}

inline void TurnQueue::wake_all() noexcept {
  while (!empty()) {
    wake_one();
  }
}

inline void TurnQueue::fail_all(const ClientError& fault) {
  while (!empty()) {
    front()->fault_ = fault;
    wake_one();
  }
}

inline TurnQueue::Turn::~Turn() {
  if (!is_linked() && !is_used_) {
    --of_.woken_;
    of_.wake_one();
  }
}

}  // namespace eider::detail::client
