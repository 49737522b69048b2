// Finds the first special byte in a run of bytes, sixteen at a time.
// Layering: must not read outside of the given bytes, nor interpret them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/bits.h"

namespace eider::h1::detail {

// A class defines the bytes that end a run: `stops` exactly, and `may_stop` for a block at once,
// which may report too many bytes, but never too few.

/// Ends at a byte that is not a tchar; blocks also stop at digits and at marks that are rare in
/// names.
struct NameEnd {
  static bool stops(char byte) noexcept { return !is_token_byte(byte); }
  static BlockMask may_stop(Block block) noexcept {
    return ~(letters(block) | (block == static_cast<std::uint8_t>('-')));
  }
};

/// Ends at a control byte except HTAB; blocks also stop at HTAB.
struct ValueEnd {
  static bool stops(char byte) noexcept { return !is_value_byte(byte); }
  static BlockMask may_stop(Block block) noexcept { return (block < 0x20) | (block == 0x7F); }
};

/// Printable ASCII without the marks that a URL must not contain unencoded (RFC 3986, appendix A).
/// Other excluded marks, such as '|', are allowed because browsers send them unencoded.
constexpr bool is_query_byte(char byte) noexcept {
  return byte > 0x20 && byte < 0x7F && byte != '"' && byte != '#' && byte != '<' && byte != '>';
}

/// A path must not contain a backslash either, because some programs treat it as a slash. '?' ends
/// the path, and '%' needs another check.
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

/// Ends at a byte that is not a plain path byte; blocks also stop at ! $ & ' and =.
struct PathEnd {
  static bool stops(char byte) noexcept { return !kPathTable[static_cast<unsigned char>(byte)]; }
  static BlockMask may_stop(Block block) noexcept {
    const auto is_low_or_high = reinterpret_cast<BlockMask>(block) < 0x28;
    return is_low_or_high | ((block | 3) == 0x3F) | (block == 0x7F) |
           (block == static_cast<std::uint8_t>('\\'));
  }
};

/// Ends at a byte that is not a query byte.
struct QueryEnd {
  static bool stops(char byte) noexcept { return !kQueryTable[static_cast<unsigned char>(byte)]; }
  static BlockMask may_stop(Block block) noexcept {
    const auto is_low_or_high = reinterpret_cast<BlockMask>(block) < 0x21;
    return is_low_or_high | ((block | 1) == 0x23) | ((block | 2) == 0x3E) | (block == 0x7F);
  }
};

/// Returns the first byte in [at, end) that ends a run of the class, or end.
template <class End>
inline const char* find_end(const char* at, const char* end) noexcept {
  while (static_cast<std::size_t>(end - at) >= kBlockBytes) {
    const std::uint32_t bits = to_bits(End::may_stop(load_block(at)));
    if (bits == 0) {
      at += kBlockBytes;
      continue;
    }
    at += std::countr_zero(bits);
    // A block may stop at bytes that do not end the run, so check the byte exactly.
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
