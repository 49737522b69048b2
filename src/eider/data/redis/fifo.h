// A queue with stable entry numbers that reuses its memory.
// Layering: must not be used to remove entries from the middle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eider::redis::detail {

/// The first entry ever has number 0, the next one 1, and so on.
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

}  // namespace eider::redis::detail
