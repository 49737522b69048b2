// Base64 (RFC 4648) with its variants, and hexadecimal digits.
// Layering: must not accept two encodings of the same bytes: each function accepts one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace eider {

/// Returns the length of the base64 text of `bytes` bytes, with padding.
[[nodiscard]] constexpr std::size_t base64_size(std::size_t bytes) noexcept {
  return (bytes + 2) / 3 * 4;
}

[[nodiscard]] std::string to_base64(std::string_view bytes);

/// Writes the base64 text to `to`. Pre: `to` has room for base64_size(bytes.size()) characters.
void write_base64(char* to, std::string_view bytes) noexcept;

/// Decodes base64.
///
/// returns  nothing if the length is not a multiple of four, a character is outside the alphabet,
///          padding is missing or too long, or the bits before the padding are not zero
/// source   RFC 4648, sections 3.3, 3.5 and 4
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

/// Decodes base64 into `to` and returns the number of bytes, or nothing if the text is invalid or
/// the bytes do not fit.
[[nodiscard]] std::optional<std::size_t> read_base64(std::string_view text,
                                                     std::span<char> to) noexcept;

/// Returns base64 without padding, as in the PHC string format.
[[nodiscard]] std::string to_base64_unpadded(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64_unpadded(std::string_view text);

/// Returns base64 for URLs: with '-' and '_' instead of '+' and '/', without padding.
///
/// source  RFC 7515, section 2; RFC 4648, section 5
[[nodiscard]] std::string to_base64url(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

/// Returns two hexadecimal digits per byte, "00" to "ff".
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace eider
