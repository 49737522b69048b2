// The path of a request for the router: split into segments, then percent-decoded once.
// Layering: must not change a path without percent-encoding.
#pragma once

#include <optional>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/route/bytes_hash.h"

namespace eider::route {

/// A slash that came escaped, as it stands in a decoded path until the match is over. No path can
/// have this byte of its own: an escaped or plain NUL is refused.
inline constexpr char kEscapedSlash = '\0';

/// Whether `path` has a '%' or a NUL in it.
[[nodiscard]] inline bool needs_decoding(std::string_view path) noexcept;

/// The path with each escape decoded once, and "%2F" as kEscapedSlash; lies in `scratch`.
///
/// returns  nothing when an escape is not two hex digits, or stands for NUL, or the path has a NUL
[[nodiscard]] std::optional<std::string_view> decode_path(std::string_view path, Buffer& scratch);

/// Turns every kEscapedSlash into the slash that it stands for.
void restore_slashes(Buffer& scratch) noexcept;

/// Whether "." or ".." is a segment of `text`, split at slashes of both kinds.
[[nodiscard]] bool has_dot_segment(std::string_view text) noexcept;

/// Whether `text` stays below where it begins: no "." or "..", and no empty segment but the last.
[[nodiscard]] bool is_safe_rest(std::string_view text) noexcept;

namespace detail {

/// Non-zero when one of the eight bytes is zero.
constexpr std::uint64_t zero_bytes(std::uint64_t word) noexcept {
  return (word - 0x0101010101010101) & ~word & 0x8080808080808080;
}

inline bool word_needs_decoding(std::uint64_t word) noexcept {
  constexpr std::uint64_t kPercents = 0x0101010101010101 * '%';
  return (zero_bytes(word) | zero_bytes(word ^ kPercents)) != 0;
}

}  // namespace detail

inline bool needs_decoding(std::string_view path) noexcept {
  if (path.size() < 8) {
    for (const char byte : path) {
      if (byte == '%' || byte == '\0') {
        return true;
      }
    }
    return false;
  }
  for (std::size_t at = 0; at + 8 < path.size(); at += 8) {
    if (detail::word_needs_decoding(detail::load_word(path.data() + at))) {
      return true;
    }
  }
  return detail::word_needs_decoding(detail::load_word(path.data() + path.size() - 8));
}

}  // namespace eider::route
