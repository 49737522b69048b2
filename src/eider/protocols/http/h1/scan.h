// Finds the first special byte in a run of bytes, sixteen at a time.
// Layering: must not read outside of the given bytes, nor interpret them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/bits.h"

namespace eider::h1::detail {

// A class says which bytes end a run: `stops` exactly, `may_stop` for a block at once. The latter
// may name too many bytes, never too few.

/// Ends at what is no tchar; blocks also stop at the digits and marks that are rare in names.
struct NameEnd {
  static bool stops(char byte) noexcept { return !is_token_byte(byte); }
  static BlockMask may_stop(Block block) noexcept {
    return ~(letters(block) | (block == static_cast<std::uint8_t>('-')));
  }
};

/// Ends at a control byte but HTAB; blocks stop at that too.
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
    const std::uint32_t bits = to_bits(End::may_stop(load_block(at)));
    if (bits == 0) {
      at += kBlockBytes;
      continue;
    }
    at += std::countr_zero(bits);
    // A block may stop at harmless bytes; only the class itself decides.
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
