// The path of a request for the router: split into segments, then percent-decoded once.
// Layering: must not change a path without percent-encoding.
#pragma once

#include <optional>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/route/bytes_hash.h"

namespace eider::route {

/// Stands for an escaped slash in a decoded path until the match is complete. It cannot be confused
/// with a byte of the path, because an escaped or plain NUL is rejected.
inline constexpr char kEscapedSlash = '\0';

/// Returns whether `path` contains a '%' or a NUL.
[[nodiscard]] inline bool needs_decoding(std::string_view path) noexcept;

/// Decodes each escape of the path once, and "%2F" to kEscapedSlash, into `scratch`.
///
/// returns  nothing if an escape is not two hexadecimal digits or is a NUL, or if the path has a
///          NUL
[[nodiscard]] std::optional<std::string_view> decode_path(std::string_view path, Buffer& scratch);

/// Replaces each kEscapedSlash with a slash.
void restore_slashes(Buffer& scratch) noexcept;

/// Returns whether "." or ".." is a segment of `text`, split at '/' and '\'.
[[nodiscard]] bool has_dot_segment(std::string_view text) noexcept;

/// Returns whether `text` stays below its start: no "." or "..", and no empty segment except the
/// last.
[[nodiscard]] bool is_safe_rest(std::string_view text) noexcept;

namespace detail {

/// Returns a nonzero value if one of the eight bytes is zero.
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
