// Host values, and the four forms of the request target (RFC 9112, section 3.2).
// Layering: must not find the end of the target: the caller passes the whole target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/protocols/http/h1/bits.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/target.h"

namespace eider::h1::detail {

/// Fills in form, path, query and authority for a target that does not start with '/'.
///
/// head     method and target are set; target contains only query bytes
/// returns  false if the method does not allow this target, or the target has no valid form
[[nodiscard]] bool split_target(RequestHead& head) noexcept;

/// Finds letters, digits, '-' and '.', which most hosts consist of.
inline BlockMask plain_name_bytes(Block block) noexcept {
  return letters(block) | digits(block) | (block == static_cast<std::uint8_t>('-')) |
         (block == static_cast<std::uint8_t>('.'));
}

/// Returns whether a text of 8 bytes or more consists of these bytes; false for shorter ones.
inline bool is_plain_name(std::string_view text) noexcept {
  if (text.size() < kBlockBytes / 2) {
    return false;
  }
  constexpr std::uint32_t kAllBits = 0xFFFF;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (text.size() < kBlockBytes) {
    return to_bits(plain_name_bytes(load_halves(at, end - kBlockBytes / 2))) == kAllBits;
  }
  // The last block overlaps the one before, so that no byte beyond the text is read.
  BlockMask plain = plain_name_bytes(load_block(end - kBlockBytes));
  for (; end - at > static_cast<std::ptrdiff_t>(kBlockBytes); at += kBlockBytes) {
    plain &= plain_name_bytes(load_block(at));
  }
  return to_bits(plain) == kAllBits;
}

/// uri-host [ ":" port ], or an empty text (RFC 9110, section 7.2). Most are plain names.
[[nodiscard]] inline bool is_host_value(std::string_view text) noexcept {
  return is_plain_name(text) || text.empty() || is_host(text);
}

}  // namespace eider::h1::detail
