// Finds the first byte that ends a run of harmless ones, sixteen at a time.
// Must not read outside the given bytes, and decides nothing about what it finds.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "eider/http/grammar.h"

namespace eider::h1::detail {

// The compiler's own vectors: SSE2 on x86-64, NEON on ARM, plain words elsewhere.
inline constexpr std::size_t kBlockBytes = 16;
using Block [[gnu::vector_size(16)]] = std::uint8_t;
using BlockMask [[gnu::vector_size(16)]] = std::int8_t;  // -1 where a comparison holds, else 0
using BlockHalves [[gnu::vector_size(16)]] = std::uint64_t;

inline Block load_block(const char* at) noexcept {
  Block block;
  std::memcpy(&block, at, kBlockBytes);
  return block;
}

/// Index of the first byte of a 64-bit half that is not 0. Pre: half != 0.
inline int first_byte(std::uint64_t half) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    return std::countr_zero(half) / 8;
  } else {
    return std::countl_zero(half) / 8;
  }
}

/// Index of the first byte where `mask` holds, 16 when there is none.
inline int first_match(BlockMask mask) noexcept {
  const auto halves = reinterpret_cast<BlockHalves>(mask);
  if (halves[0] != 0) {
    return first_byte(halves[0]);
  }
  return halves[1] != 0 ? 8 + first_byte(halves[1]) : static_cast<int>(kBlockBytes);
}

/// ASCII letters. With bit 0x20 set both cases are one range, and that is moved to the top of the
/// signed range, so that one comparison finds it: 'a' becomes 102, 'z' becomes 127, '{' wraps.
inline BlockMask letters(Block block) noexcept {
  const Block moved = (block | 0x20) + (127 - 'z');
  return reinterpret_cast<BlockMask>(moved) > 127 - 26;
}

// A class says which bytes end a run: `stops` exactly, `may_stop` for a block at once. The latter
// may name too many bytes, never too few.

/// Ends at what is no tchar; blocks also stop at the marks and digits that are rare in names.
struct NameEnd {
  static bool stops(char byte) noexcept { return !is_token_byte(byte); }
  static BlockMask may_stop(Block block) noexcept {
    return ~(letters(block) | (block == static_cast<std::uint8_t>('-')));
  }
};

/// Ends at a control byte except HTAB, which is harmless in a field value.
struct ValueEnd {
  static bool stops(char byte) noexcept { return !is_value_byte(byte); }
  static BlockMask may_stop(Block block) noexcept { return (block < 0x20) | (block == 0x7F); }
};

/// Printable ASCII without the marks that no URL may hold raw (RFC 3986, appendix A; browsers send
/// the other excluded ones, such as '|', unencoded).
constexpr bool is_query_byte(char byte) noexcept {
  return byte > 0x20 && byte < 0x7F && byte != '"' && byte != '#' && byte != '<' && byte != '>';
}

/// In a path a backslash is excluded too: some read it as a slash. '?' ends it, and '%' is looked
/// at more closely.
constexpr bool is_plain_path_byte(char byte) noexcept {
  return is_query_byte(byte) && byte != '\\' && byte != '?' && byte != '%';
}

template <bool (*is_plain)(char)>
constexpr std::array<bool, 256> make_table() {
  std::array<bool, 256> table{};
  for (int value = 0; value < 128; ++value) {
    table[static_cast<std::size_t>(value)] = is_plain(static_cast<char>(value));
  }
  return table;
}
inline constexpr auto kQueryTable = make_table<is_query_byte>();
inline constexpr auto kPathTable = make_table<is_plain_path_byte>();

/// Ends at what is no plain path byte; blocks also stop at ! $ & ' and =.
struct PathEnd {
  static bool stops(char byte) noexcept { return !kPathTable[static_cast<unsigned char>(byte)]; }
  static BlockMask may_stop(Block block) noexcept {
    const auto is_low_or_high = reinterpret_cast<BlockMask>(block) < 0x28;
    return is_low_or_high | ((block | 3) == 0x3F) | (block == 0x7F) |
           (block == static_cast<std::uint8_t>('\\'));
  }
};

/// Ends at what is no query byte.
struct QueryEnd {
  static bool stops(char byte) noexcept { return !kQueryTable[static_cast<unsigned char>(byte)]; }
  static BlockMask may_stop(Block block) noexcept {
    const auto is_low_or_high = reinterpret_cast<BlockMask>(block) < 0x21;
    return is_low_or_high | ((block | 1) == 0x23) | ((block | 2) == 0x3E) | (block == 0x7F);
  }
};

/// The first byte in [at, end) that ends a run of the class, or end.
template <class End>
inline const char* find_end(const char* at, const char* end) noexcept {
  while (static_cast<std::size_t>(end - at) >= kBlockBytes) {
    const int index = first_match(End::may_stop(load_block(at)));
    at += index;
    if (index == static_cast<int>(kBlockBytes)) {
      continue;
    }
    if (End::stops(*at)) {
      return at;
    }
    ++at;
  }
  while (at != end && !End::stops(*at)) {
    ++at;
  }
  return at;
}

}  // namespace eider::h1::detail
