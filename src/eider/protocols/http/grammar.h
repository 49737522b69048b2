// The characters that HTTP allows in tokens and header values (RFC 9110, section 5.6).
// Layering: must not know any particular field.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace eider {

namespace detail::http {

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (const char byte : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                          "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table[static_cast<unsigned char>(byte)] = true;
  }
  return table;
}

inline constexpr std::array<bool, 256> kTokenTable = make_token_table();

}  // namespace detail::http

/// tchar (RFC 9110, section 5.6.2).
[[nodiscard]] constexpr bool is_token_byte(char byte) noexcept {
  return detail::http::kTokenTable[static_cast<unsigned char>(byte)];
}

/// HTAB, SP, VCHAR or obs-text: all bytes that a field value may contain (RFC 9110, section 5.5).
[[nodiscard]] constexpr bool is_value_byte(char byte) noexcept {
  const auto value = static_cast<unsigned char>(byte);
  return (value >= 0x20 && value != 0x7F) || value == '\t';
}

/// token: at least one tchar and nothing else.
[[nodiscard]] constexpr bool is_token(std::string_view text) noexcept {
  for (const char byte : text) {
    if (!is_token_byte(byte)) {
      return false;
    }
  }
  return !text.empty();
}

/// Returns whether `text` is valid as a field value: no control byte, no blank at either end.
[[nodiscard]] constexpr bool is_field_value(std::string_view text) noexcept {
  for (const char byte : text) {
    if (!is_value_byte(byte)) {
      return false;
    }
  }
  const auto is_blank = [](char byte) { return byte == ' ' || byte == '\t'; };
  return text.empty() || (!is_blank(text.front()) && !is_blank(text.back()));
}

}  // namespace eider
