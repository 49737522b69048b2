// For tests: streams of bytes that follow from a seed, so that each piece can be checked.
// Layering: must not be used outside of tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

namespace eider::testing {

/// Each stream repeats the same ring of random bytes, each from its own position. The ring is
/// longer than any buffer and has a prime length, so that a byte that is lost, duplicated or given
/// to another stream is detected immediately.
class SeededBytes {
 public:
  static constexpr std::size_t kPieceBytesMax = 200 * 1024;

  explicit SeededBytes(std::uint64_t seed) : circle_(kCircleBytes + kPieceBytesMax, '\0') {
    std::mt19937_64 random(seed);
    for (std::size_t at = 0; at < kCircleBytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t eight = random();
      std::memcpy(circle_.data() + at, &eight, std::min(sizeof(eight), circle_.size() - at));
    }
    std::copy_n(circle_.begin(), kPieceBytesMax, circle_.begin() + kCircleBytes);
  }

  /// The bytes of one stream from `position` on. Pre: bytes <= kPieceBytesMax.
  [[nodiscard]] std::string_view piece(std::uint32_t stream, std::uint64_t position,
                                       std::size_t bytes) const {
    const std::uint64_t from = (std::uint64_t{stream} * kStride + position) % kCircleBytes;
    return std::string_view(circle_).substr(from, bytes);
  }

  [[nodiscard]] bool is_piece(std::string_view bytes, std::uint32_t stream,
                              std::uint64_t position) const {
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), kPieceBytesMax);
      if (bytes.substr(0, part) != piece(stream, position, part)) {
        return false;
      }
      bytes.remove_prefix(part);
      position += part;
    }
    return true;
  }

 private:
  static constexpr std::size_t kCircleBytes = 1'048'573;
  static constexpr std::uint64_t kStride = 104'729;

  std::string circle_;
};

}  // namespace eider::testing
