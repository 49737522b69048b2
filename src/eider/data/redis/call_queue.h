// The calls of a connection in order, and the bytes that wait to be sent.
// Layering: must not know the connection or the outcome of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/data/redis/call.h"

namespace eider::redis::detail {

/// A queue with stable entry numbers that reuses its memory. The first entry ever has number 0, the
/// next one 1, and so on.
template <class T>
class Fifo {
 public:
  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  /// The number of the first entry, and one more than that of the last.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  /// Pre: begin() <= number < end().
  [[nodiscard]] T& operator[](std::uint64_t number) noexcept {
    return ring_[number & (ring_.size() - 1)];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[begin_]; }
  void pop() noexcept { ++begin_; }
  /// Removes the last entries. Pre: begin() <= end <= this->end().
  void cut(std::uint64_t end) noexcept { end_ = end; }

  std::uint64_t push(const T& entry) {
    if (size() == ring_.size()) {
      grow();
    }
    (*this)[end_] = entry;
    return end_++;
  }

 private:
  static constexpr std::size_t kFirst = 64;

  void grow() {
    std::vector<T> larger(ring_.empty() ? kFirst : 2 * ring_.size());
    for (std::uint64_t number = begin_; number != end_; ++number) {
      larger[number & (larger.size() - 1)] = (*this)[number];
    }
    ring_.swap(larger);
  }

  std::vector<T> ring_;  // its size is a power of two
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

/// Memory that a buffer keeps while it is empty.
inline constexpr std::size_t kBufferKeptMax = std::size_t{64} * 1024;

class CallQueue {
 public:
  /// call     null if it was abandoned
  /// bytes    size of its commands, which are in `waiting()` until they are sent
  /// replies  responses that have not arrived yet
  struct Slot {
    Call* call = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t replies = 0;
  };

  /// Returns the number of calls that were not abandoned.
  [[nodiscard]] std::size_t calls() const noexcept { return slots_.size() - dead_; }
  /// Returns the number of calls without a response that were sent, including abandoned ones.
  [[nodiscard]] std::size_t sent() const noexcept { return next_ - slots_.begin(); }
  [[nodiscard]] bool has_waiting() const noexcept { return next_ != slots_.end(); }
  /// Returns the buffer of unsent commands. Append a command here before calling `push`.
  [[nodiscard]] Buffer& waiting() noexcept { return waiting_; }

  void push(Call& call, std::uint32_t bytes, std::uint32_t replies);
  /// Abandons a call. Its slot remains, so that later responses are assigned to the right calls.
  void give_up(const Call& call) noexcept;
  /// Removes abandoned waiting calls, if there are many. Pre: sent() is 0.
  void compact_many();

  /// Moves the bytes of waiting calls to `out`, until that is more than `bytes`.
  void send(Buffer& out, std::size_t bytes);
  /// Returns the first sent call. Pre: sent() is not 0.
  [[nodiscard]] Call* front() noexcept { return slots_.front().call; }
  /// Counts a response to the first call.
  ///
  /// returns  whether it was its last one
  [[nodiscard]] bool answer() noexcept { return --slots_.front().replies == 0; }
  void drop_done() noexcept;

  // The returned calls are not in the queue any more.
  [[nodiscard]] std::vector<Call*> take_sent();
  /// Pre: sent() is 0.
  [[nodiscard]] std::vector<Call*> take_waiting();
  /// Returns the waiting calls that may be sent over one connection only.
  [[nodiscard]] std::vector<Call*> take_bound();

 private:
  void compact();

  Fifo<Slot> slots_;        // the sent calls, then the waiting ones
  std::uint64_t next_ = 0;  // the first waiting one
  Buffer waiting_;          // their bytes
  std::size_t dead_ = 0;    // abandoned slots
};

}  // namespace eider::redis::detail
