// Sixteen bytes at once, with the compiler's vector types: SSE2 on x86-64, NEON on ARM.
// Layering: must not know the meaning of the bytes.
#pragma once

#include <cstdint>
#include <cstring>

namespace eider::h1::detail {

inline constexpr std::size_t kBlockBytes = 16;
using Block [[gnu::vector_size(16)]] = std::uint8_t;
using BlockMask [[gnu::vector_size(16)]] = std::int8_t;  // -1 where a comparison holds, else 0

inline Block load_block(const char* at) noexcept {
  Block block;
  std::memcpy(&block, at, kBlockBytes);
  return block;
}

/// Finds ASCII letters. Setting bit 0x20 joins both cases in one range, and the sum moves it to the
/// top of the signed range, so that one comparison is enough: 'a' becomes 102, 'z' becomes 127, '{'
/// wraps.
inline BlockMask letters(Block block) noexcept {
  const Block moved = (block | 0x20) + (127 - 'z');
  return reinterpret_cast<BlockMask>(moved) > 127 - 26;
}

/// Finds ASCII digits in the same way.
inline BlockMask digits(Block block) noexcept {
  const Block moved = block + (127 - '9');
  return reinterpret_cast<BlockMask>(moved) > 127 - 10;
}

/// Loads eight bytes from each address.
inline Block load_halves(const char* low, const char* high) noexcept {
  std::uint64_t halves[2];
  std::memcpy(&halves[0], low, sizeof halves[0]);
  std::memcpy(&halves[1], high, sizeof halves[1]);
  Block block;
  std::memcpy(&block, halves, sizeof block);
  return block;
}

}  // namespace eider::h1::detail
