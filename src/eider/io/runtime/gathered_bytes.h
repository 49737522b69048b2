// Bytes that wait to be written to a file together, in limited memory.
// Layering: must not write: its user does.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace eider::detail::runtime {

/// Collects small pieces, so that each write is large enough. The total in the process is limited,
/// because a slow client could otherwise keep almost a whole write in memory. Above the limit,
/// writes are small.
class GatheredBytes {
 public:
  /// Of all objects in the process, in addition to kLeastBytes of each.
  static constexpr std::size_t kTotalMax = std::size_t{64} << 20U;
  static constexpr std::size_t kLeastBytes = 4096;

  /// write_bytes  of a write
  explicit GatheredBytes(std::size_t write_bytes) noexcept : write_bytes_(write_bytes) {}
  GatheredBytes(GatheredBytes&& other) noexcept
      : write_bytes_(other.write_bytes_), bytes_(other.take()) {
    total().fetch_add(bytes_.size(), std::memory_order_relaxed);
  }
  GatheredBytes& operator=(GatheredBytes&& other) noexcept {
    std::swap(write_bytes_, other.write_bytes_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  GatheredBytes(const GatheredBytes&) = delete;
  GatheredBytes& operator=(const GatheredBytes&) = delete;
  ~GatheredBytes() { total().fetch_sub(bytes_.size(), std::memory_order_relaxed); }

  /// returns  whether to write them before more are added
  [[nodiscard]] bool add(std::string_view piece) {
    bytes_.append(piece);
    const std::size_t all =
        total().fetch_add(piece.size(), std::memory_order_relaxed) + piece.size();
    return bytes_.size() >= (all > kTotalMax ? kLeastBytes : write_bytes_);
  }
  /// Returns and forgets all of them.
  [[nodiscard]] std::string take() noexcept {
    total().fetch_sub(bytes_.size(), std::memory_order_relaxed);
    return std::exchange(bytes_, {});
  }

 private:
  static std::atomic<std::size_t>& total() noexcept {
    static std::atomic<std::size_t> bytes{0};
    return bytes;
  }

  std::size_t write_bytes_;
  std::string bytes_;
};

}  // namespace eider::detail::runtime
