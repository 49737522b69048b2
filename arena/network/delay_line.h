// Packets on their way, in order, each until so long after it came.
// Must not read a clock or a socket: the instants come from its user.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace network {

using Instant = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;

/// One direction of the bridge. What comes when it is full is dropped and counted.
class DelayLine {
 public:
  DelayLine(std::chrono::nanoseconds delay, std::size_t packets_max)
      : delay_(delay), packets_max_(packets_max) {}

  /// Keeps a copy of `packet` until `now` + delay, unless the line is full.
  void add(std::string_view packet, Instant now) {
    if (packets_.size() >= packets_max_) {
      ++dropped_;
      return;
    }
    packets_.push_back({now + delay_, std::string(packet)});
  }

  /// When the first packet is due; the end of time when there is none.
  [[nodiscard]] Instant next_due() const {
    return packets_.empty() ? Instant::max() : packets_.front().due;
  }

  /// The first packet. Pre: there is one.
  [[nodiscard]] std::string_view front() const { return packets_.front().bytes; }

  /// The first packet has left, or has been lost on its way.
  void pop_sent() {
    packets_.pop_front();
    ++sent_;
  }
  void pop_lost() {
    packets_.pop_front();
    ++dropped_;
  }

  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  struct Packet {
    Instant due;
    std::string bytes;
  };

  std::chrono::nanoseconds delay_;
  std::size_t packets_max_;
  std::deque<Packet> packets_;
  std::uint64_t sent_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace network
