// A bounded queue between tasks of one event loop; a full queue makes the sender wait.
// Layering: must not be shared between threads; loops communicate with `Loop::post`.
#pragma once

#include <coroutine>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/waiter.h"

namespace eider {

/// A bounded queue of values, first in, first out; waiting tasks are served in their order.
/// Destroying it closes it.
template <class T>
class Channel {
 public:
  class Sending;
  class SendAwaiter;
  class Receiving;

  /// Pre: capacity >= 1.
  explicit Channel(std::size_t capacity) : slots_(capacity) {
    ensure(capacity >= 1, "a channel without room");
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  ~Channel() {
    // Waiting senders and receivers refer to this channel: they are woken and forget it.
    close();
    while (detail::runtime::Waiter* promised = promised_.pop_front()) {
      static_cast<Receiving*>(promised)->channel_ = nullptr;
    }
    tell_end();
  }

  /// Returns the number of values that were sent and not yet received.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }

  /// `co_await channel.send(value)` waits while the channel is full.
  ///
  /// returns  false if the channel was closed before the value was accepted
  [[nodiscard]] Sending send(T value) { return Sending(*this, std::move(value)); }
  /// Sends without waiting.
  ///
  /// returns  false, and does not move `value`, if the channel is full or closed
  [[nodiscard]] bool try_send(T&& value) {
    if (!has_room()) {
      return false;
    }
    push(std::move(value));
    return true;
  }

  /// `co_await channel.receive()` waits while the channel is empty and not closed.
  ///
  /// returns  a value, or nothing if the channel is closed and empty
  [[nodiscard]] Receiving receive() noexcept { return Receiving(*this); }
  /// Receives without waiting.
  ///
  /// returns  nothing if the channel is empty
  [[nodiscard]] std::optional<T> try_receive() {
    return has_value() ? std::optional<T>(pop()) : std::nullopt;
  }

  /// Closes the channel: nothing more can be sent, and sent values can still be received. All
  /// waiting tasks continue.
  void close() noexcept {
    is_closed_ = true;
    while (detail::runtime::Waiter* sender = senders_.front()) {
      sender->wake();
    }
    serve_next();
  }

 private:
  bool has_room() const noexcept { return !is_closed_ && size_ < slots_.size(); }
  // Values promised to woken receivers are not available to others.
  bool has_value() const noexcept { return size_ > promises_; }

  void push(T&& value) {
    slots_[(first_ + size_) % slots_.size()].emplace(std::move(value));
    ++size_;
    serve_next();
  }

  T pop() {
    std::optional<T>& slot = slots_[first_];
    T value = std::move(*slot);
    slot.reset();
    first_ = (first_ + 1) % slots_.size();
    --size_;
    // The longest waiting sender fills the room immediately; otherwise a later one could overtake
    // it.
    if (detail::runtime::Waiter* sender = senders_.front()) {
      static_cast<SendAwaiter*>(sender)->is_sent_ = true;
      sender->wake();
      push(std::move(static_cast<SendAwaiter*>(sender)->value_));
    }
    return value;
  }

  /// Promises a value to the longest waiting receiver. If the channel is closed and no value is
  /// left, which may happen when a promise is given up, wakes all receivers.
  void serve_next() noexcept {
    detail::runtime::Waiter* receiver = receivers_.front();
    if (receiver == nullptr) {
      return;
    }
    if (has_value()) {
      receiver->wake();
      promised_.push_back(*receiver);
      ++promises_;
    } else if (is_closed_ && promises_ == 0) {
      tell_end();
    }
  }

  void tell_end() noexcept {
    while (detail::runtime::Waiter* receiver = receivers_.front()) {
      static_cast<Receiving*>(receiver)->channel_ = nullptr;
      receiver->wake();
    }
  }

  std::vector<std::optional<T>> slots_;  // a ring buffer
  std::size_t first_ = 0;
  std::size_t size_ = 0;
  std::size_t promises_ = 0;
  bool is_closed_ = false;
  detail::runtime::Waiter::List senders_;
  detail::runtime::Waiter::List receivers_;
  detail::runtime::Waiter::List promised_;  // woken receivers, each with a claim to one value
};

/// The result of `send`, for `co_await`, once.
template <class T>
class [[nodiscard]] Channel<T>::Sending {
 public:
  Sending(Channel& channel, T&& value) : channel_(channel), value_(std::move(value)) {}

  SendAwaiter operator co_await() noexcept { return SendAwaiter(channel_, value_); }

 private:
  Channel& channel_;
  T value_;
};

template <class T>
class Channel<T>::SendAwaiter final : private detail::runtime::Waiter {
 public:
  SendAwaiter(Channel& channel, T& value) noexcept : channel_(channel), value_(value) {}

  bool await_ready() {
    is_sent_ = channel_.try_send(std::move(value_));
    return is_sent_ || channel_.is_closed();
  }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    wait_in(channel_.senders_, waiting);
  }
  bool await_resume() const noexcept { return is_sent_; }

 private:
  friend Channel;

  Channel& channel_;
  T& value_;
  bool is_sent_ = false;
};

template <class T>
class Channel<T>::Receiving final : private detail::runtime::Waiter {
 public:
  explicit Receiving(Channel& channel) noexcept : channel_(&channel) {}
  ~Receiving() {
    if (channel_ != nullptr && is_woken()) {
      // Pass the promised value on to the next receiver; otherwise it would stay unclaimed.
      give_up_claim();
      channel_->serve_next();
    }
  }

  bool await_ready() const noexcept { return channel_->has_value() || channel_->is_closed(); }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    wait_in(channel_->receivers_, waiting);
  }
  std::optional<T> await_resume() {
    if (channel_ == nullptr) {
      return std::nullopt;
    }
    if (is_linked()) {
      give_up_claim();
    }
    std::optional<T> value = channel_->try_receive();
    channel_->serve_next();
    return value;
  }

 private:
  friend Channel;

  void give_up_claim() noexcept {
    this->unlink();
    --channel_->promises_;
  }

  Channel* channel_;  // null if the channel was closed or destroyed
};

}  // namespace eider
