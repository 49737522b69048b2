// Messages of a subscription that wait to be received, with gaps for missed ones.
// Layering: must not know a connection.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"

namespace eider::detail::servers {

/// Used on one loop. One task receives.
///
/// Message  has is_gap and missed: the number of messages lost in a gap; 0 if it is unknown
/// Refusal  an exception: the server has rejected a channel
/// kBytes   how many bytes a Message counts for; 0 for a gap
template <class Message, class Refusal, auto kBytes>
class MessageQueue {
 public:
  MessageQueue(std::size_t messages_max, std::size_t bytes_max) noexcept
      : messages_max_(messages_max), bytes_max_(bytes_max) {}

  /// Adds a message; if there is no room, counts it in a gap at its place.
  void put(Message message) {
    if (messages_.size() < messages_max_ && bytes_ + kBytes(message) <= bytes_max_) {
      return add(std::move(message));
    }
    if (messages_.empty() || messages_.back().missed == 0) {
      add({.is_gap = true});
    }
    ++messages_.back().missed;
  }
  /// Called when the connection was lost. Consecutive gaps are combined.
  void put_gap() {
    if (messages_.empty() || !messages_.back().is_gap || messages_.back().missed != 0) {
      add({.is_gap = true});
    }
  }
  /// Makes `receive` throw once, after the waiting messages.
  void put_refusal(const Refusal& refusal) {
    refusal_.emplace(refusal);
    arrived_.set();
  }

  /// Waits for the next message. May be canceled; no message is lost.
  [[nodiscard]] Task<Message> receive() {
    while (messages_.empty()) {
      if (refusal_) {
        throw Refusal(*std::exchange(refusal_, std::nullopt));
      }
      arrived_.reset();
      co_await arrived_.wait();
    }
    Message message = std::move(messages_.front());
    messages_.pop_front();
    bytes_ -= kBytes(message);
    co_return message;
  }

 private:
  void add(Message message) {
    bytes_ += kBytes(message);
    messages_.push_back(std::move(message));
    arrived_.set();
  }

  std::size_t messages_max_;
  std::size_t bytes_max_;
  std::deque<Message> messages_{};
  std::size_t bytes_ = 0;
  AsyncEvent arrived_{};
  std::optional<Refusal> refusal_{};
};

}  // namespace eider::detail::servers
