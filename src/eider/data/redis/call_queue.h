// The calls of a connection in order, and the bytes that wait to be sent.
// Layering: must not know the connection or the outcome of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/data/redis/call.h"
#include "eider/data/redis/fifo.h"

namespace eider::redis::detail {

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
