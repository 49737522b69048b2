// The requests of a connection that wait for a response, the oldest first.
// Layering: must not grow; its size is the depth of the pipeline.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/bench/connection.h"

namespace eider::bench {

class SentRing {
 public:
  explicit SentRing(std::size_t depth) : ring_(depth) {}

  /// Pre: !is_full().
  void push(const Sent& next) noexcept {
    const std::size_t at = first_ + count_;
    ring_[at < ring_.size() ? at : at - ring_.size()] = next;
    ++count_;
  }
  /// Pre: size() != 0.
  Sent pop() noexcept {
    const Sent oldest = ring_[first_];
    first_ = first_ + 1 < ring_.size() ? first_ + 1 : 0;
    --count_;
    return oldest;
  }
  /// Pre: size() != 0.
  [[nodiscard]] const Sent& front() const noexcept { return ring_[first_]; }
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] bool is_full() const noexcept { return count_ == ring_.size(); }

 private:
  std::vector<Sent> ring_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace eider::bench
