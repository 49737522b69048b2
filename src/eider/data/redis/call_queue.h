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
  /// Number of the first entry, and one past that of the last.
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }

  /// Pre: begin() <= number < end().
  [[nodiscard]] T& operator[](std::uint64_t number) noexcept {
    return ring_[number & (ring_.size() - 1)];
  }
  [[nodiscard]] T& front() noexcept { return (*this)[begin_]; }
  void pop() noexcept { ++begin_; }
  /// Takes the last ones off. Pre: begin() <= end <= this->end().
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

  std::vector<T> ring_;  // a power of two
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

/// Memory that a buffer keeps between bursts.
inline constexpr std::size_t kBufferKeptMax = std::size_t{64} * 1024;

class CallQueue {
 public:
  /// call     null once it was given up
  /// bytes    of its commands, in `waiting()` until they are sent
  /// replies  still to come
  struct Slot {
    Call* call = nullptr;
    std::uint32_t bytes = 0;
    std::uint32_t replies = 0;
  };

  /// That were not given up.
  [[nodiscard]] std::size_t calls() const noexcept { return slots_.size() - dead_; }
  /// That were sent and are not answered, also where they were given up.
  [[nodiscard]] std::size_t sent() const noexcept { return next_ - slots_.begin(); }
  [[nodiscard]] bool has_waiting() const noexcept { return next_ != slots_.end(); }
  /// Those of a call that is pushed next are at its end already.
  [[nodiscard]] Buffer& waiting() noexcept { return waiting_; }

  void push(Call& call, std::uint32_t bytes, std::uint32_t replies);
  /// Its slot stays, so that the next answers go where they belong.
  void give_up(const Call& call) noexcept;
  /// Takes those out that wait and were given up, where they are many. Pre: sent() is 0.
  void compact_many();

  /// Moves the bytes of calls that wait to `out`, until that is more than `bytes`.
  void send(Buffer& out, std::size_t bytes);
  /// The first one that was sent. Pre: sent() is not 0.
  [[nodiscard]] Call* front() noexcept { return slots_.front().call; }
  /// Counts an answer of that; it is done with its last one.
  ///
  /// returns  whether this is the last one
  [[nodiscard]] bool answer() noexcept { return --slots_.front().replies == 0; }
  void drop_done() noexcept;

  // These are in the queue no more.
  [[nodiscard]] std::vector<Call*> take_sent();
  /// Pre: sent() is 0.
  [[nodiscard]] std::vector<Call*> take_waiting();
  /// Those that wait and may be sent over one connection alone.
  [[nodiscard]] std::vector<Call*> take_bound();

 private:
  void compact();

  Fifo<Slot> slots_;        // those that were sent, then those that wait
  std::uint64_t next_ = 0;  // the first that waits
  Buffer waiting_;          // their bytes
  std::size_t dead_ = 0;    // slots that were given up
};

}  // namespace eider::redis::detail
