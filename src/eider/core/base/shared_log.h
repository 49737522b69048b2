// Bytes that several queues share without copying, such as a published message.
// Layering: must not change bytes once they are appended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace eider::detail::base {

/// Valid as long as `owner` lives, which owns `memory_bytes` bytes in total.
struct SharedBytes {
  std::shared_ptr<const void> owner;
  std::string_view bytes;
  std::size_t memory_bytes = 0;

  /// Appends `next` to these bytes if it follows them in the same memory.
  [[nodiscard]] bool try_extend(const SharedBytes& next) noexcept {
    if (owner != next.owner || bytes.data() + bytes.size() != next.bytes.data()) {
      return false;
    }
    bytes = {bytes.data(), bytes.size() + next.bytes.size()};
    return true;
  }
};

/// Appends to a block of memory until it is full. A block lives as long as a SharedBytes refers to
/// it, so a log without readers uses no memory.
class SharedLog {
 public:
  [[nodiscard]] SharedBytes append(std::string_view bytes) {
    std::shared_ptr<Piece> piece = last_.lock();
    if (piece == nullptr || piece->size - piece->used < bytes.size()) {
      piece = make_piece(bytes.size());
    }
    char* const at = piece->bytes.get() + piece->used;
    if (!bytes.empty()) {
      std::memcpy(at, bytes.data(), bytes.size());
    }
    piece->used += bytes.size();
    const std::size_t memory_bytes = piece->size;
    return {std::move(piece), {at, bytes.size()}, memory_bytes};
  }

 private:
  static constexpr std::size_t kFirstBytes = 4UL * 1024;
  static constexpr std::size_t kMostBytes = 64UL * 1024;

  struct Piece {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    std::size_t used = 0;
  };

  [[nodiscard]] std::shared_ptr<Piece> make_piece(std::size_t least) {
    // If the previous block is still in use, much is published, so the next block is larger.
    next_bytes_ = last_.expired() ? kFirstBytes : std::min(next_bytes_ * 2, kMostBytes);
    auto piece = std::make_shared<Piece>();
    piece->size = std::max(least, next_bytes_);
    piece->bytes = std::make_unique_for_overwrite<char[]>(piece->size);
    last_ = piece;
    return piece;
  }

  std::weak_ptr<Piece> last_;
  std::size_t next_bytes_ = kFirstBytes;
};

}  // namespace eider::detail::base
