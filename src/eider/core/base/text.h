// Text helpers for protocols: ASCII case, spaces, numbers.
// Layering: must not know locales, encodings or any protocol.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace eider {

[[nodiscard]] constexpr char to_lower(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}

[[nodiscard]] constexpr bool is_digit(char byte) noexcept {
  return byte >= '0' && byte <= '9';
}

[[nodiscard]] constexpr bool is_letter(char byte) noexcept {
  const char lower = to_lower(byte);
  return lower >= 'a' && lower <= 'z';
}

/// What ends each line of a head (RFC 9112, section 2.2).
inline constexpr std::string_view kCrlf = "\r\n";

/// The value of a hexadecimal digit, 0 to 15; -1 for any other byte.
[[nodiscard]] constexpr int hex_value(char byte) noexcept {
  if (is_digit(byte)) {
    return byte - '0';
  }
  const char lower = to_lower(byte);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Space or horizontal tab: OWS of RFC 9110, section 5.6.3.
[[nodiscard]] constexpr bool is_blank(char byte) noexcept {
  return byte == ' ' || byte == '\t';
}

/// Without the blanks at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// Equal when ASCII letters of different case count as the same; other bytes must be equal.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view one,
                                                  std::string_view other) noexcept {
  if (one.size() != other.size()) {
    return false;
  }
  for (std::size_t index = 0; index < one.size(); ++index) {
    if (to_lower(one[index]) != to_lower(other[index])) {
      return false;
    }
  }
  return true;
}

/// Whether a secret that somebody gave is the one expected: an API key, a token, a MAC. The time it
/// takes depends on how many bytes they have and not on how many are right, from which a key could
/// be guessed byte by byte, as with ==. That a length is wrong shows: keys of one kind have one.
[[nodiscard]] bool equals_in_constant_time(std::string_view given,
                                           std::string_view expected) noexcept;

/// Decimal digits and nothing else, leading zeros included; nothing when too large.
[[nodiscard]] std::optional<std::uint64_t> parse_uint64(std::string_view text) noexcept;
/// The same with an optional '-' in front.
[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text) noexcept;
/// A decimal number: "1", "-1.5", ".5", "1e9"; no "inf", no "nan", no blanks, no "+"; nothing when
/// it is out of range.
[[nodiscard]] std::optional<double> parse_double(std::string_view text) noexcept;

/// An integer of type T in decimal; nothing when `text` is none or it does not fit.
template <class T>
[[nodiscard]] std::optional<T> parse_integer(std::string_view text) noexcept {
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>);
  if constexpr (std::is_signed_v<T>) {
    const std::optional<std::int64_t> value = parse_int64(text);
    const bool fits = value.has_value() && *value >= std::numeric_limits<T>::min() &&
                      *value <= std::numeric_limits<T>::max();
    return fits ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
  } else {
    const std::optional<std::uint64_t> value = parse_uint64(text);
    const bool fits = value.has_value() && *value <= std::numeric_limits<T>::max();
    return fits ? std::optional<T>(static_cast<T>(*value)) : std::nullopt;
  }
}

}  // namespace eider
