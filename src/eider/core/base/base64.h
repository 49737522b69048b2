// Bytes as base64 (RFC 4648, section 4), in its other spellings, and as hexadecimal digits.
// Must not accept a second spelling of the same bytes: each function takes one alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace eider {

/// The characters that `bytes` bytes become, padding included.
[[nodiscard]] constexpr std::size_t base64_size(std::size_t bytes) noexcept {
  return (bytes + 2) / 3 * 4;
}

[[nodiscard]] std::string to_base64(std::string_view bytes);

/// The same, written to `to`. Pre: there is room for base64_size(bytes.size()) characters.
void write_base64(char* to, std::string_view bytes) noexcept;

/// The bytes that `text` stands for.
///
/// returns  nothing when the length is no multiple of four, a character is outside the alphabet,
///          padding is missing or too long, or the bits before the padding are not zero
/// source   RFC 4648, sections 3.3, 3.5 and 4
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

/// The same, written to `to`: the number of bytes; nothing too when they do not fit.
[[nodiscard]] std::optional<std::size_t> read_base64(std::string_view text,
                                                     std::span<char> to) noexcept;

/// The same without padding, as the PHC string format has it.
[[nodiscard]] std::string to_base64_unpadded(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64_unpadded(std::string_view text);

/// With '-' and '_' for '+' and '/', without padding.
///
/// source  RFC 7515, section 2; RFC 4648, section 5
[[nodiscard]] std::string to_base64url(std::string_view bytes);
[[nodiscard]] std::optional<std::string> from_base64url(std::string_view text);

/// Two digits per byte, "00" to "ff".
[[nodiscard]] std::string to_hex(std::string_view bytes);

}  // namespace eider
