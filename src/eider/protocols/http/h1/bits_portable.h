// to_bits in portable code, for little-endian machines.
// Layering: must be included only by bits.h.
#pragma once

#include <bit>

#include "eider/protocols/http/h1/block.h"

namespace eider::h1::detail {

/// Returns one bit for each of eight bytes that are 0 or 0xFF. Only bit i of byte i is kept, and
/// the top byte of the product is the sum of all eight.
inline std::uint32_t half_to_bits(std::uint64_t half) noexcept {
  constexpr std::uint64_t kBitOfEach = 0x8040201008040201;
  constexpr std::uint64_t kSumOnTop = 0x0101010101010101;
  return static_cast<std::uint32_t>(((half & kBitOfEach) * kSumOnTop) >> 56);
}

/// Sets bit i if the mask is set for byte i.
inline std::uint32_t to_bits(BlockMask mask) noexcept {
  static_assert(std::endian::native == std::endian::little);
  using Halves [[gnu::vector_size(16)]] = std::uint64_t;
  const auto halves = reinterpret_cast<Halves>(mask);
  return half_to_bits(halves[0]) | half_to_bits(halves[1]) << 8;
}

}  // namespace eider::h1::detail
