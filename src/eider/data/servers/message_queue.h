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

/// On one loop. One task receives.
///
/// Message  has is_gap and missed: how many messages a gap is for; 0 if that is not known
/// Refusal  an exception: the server has refused a channel
/// kBytes   how many bytes a Message counts for; 0 for a gap
template <class Message, class Refusal, auto kBytes>
class MessageQueue {
 public:
  MessageQueue(std::size_t messages_max, std::size_t bytes_max) noexcept
      : messages_max_(messages_max), bytes_max_(bytes_max) {}

  /// If there is no room for it, the gap at its place counts it.
  void put(Message message) {
    if (messages_.size() < messages_max_ && bytes_ + kBytes(message) <= bytes_max_) {
      return add(std::move(message));
    }
    if (messages_.empty() || messages_.back().missed == 0) {
      add({.is_gap = true});
    }
    ++messages_.back().missed;
  }
  /// The connection was lost. Several of these without a message between them are one.
  void put_gap() {
    if (messages_.empty() || !messages_.back().is_gap || messages_.back().missed != 0) {
      add({.is_gap = true});
    }
  }
  /// `receive` throws it once, after the messages that wait.
  void put_refusal(const Refusal& refusal) {
    refusal_.emplace(refusal);
    arrived_.set();
  }

  /// Waits for the next message. Nothing is lost if it is cancelled.
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
