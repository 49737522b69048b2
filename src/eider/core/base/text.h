// Text helpers for protocols: ASCII case, spaces, numbers.
// Layering: must not know locales, encodings or any protocol.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace eider {

[[nodiscard]] constexpr char to_lower(char byte) noexcept {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}
[[nodiscard]] std::string in_lower_case(std::string_view text);

/// Removes and returns the text before the first `mark`, or all of it if there is no mark. Also
/// removes the mark.
[[nodiscard]] constexpr std::string_view take_until(std::string_view& text,
                                                    std::string_view mark) noexcept {
  const std::string_view part = text.substr(0, text.find(mark));
  text.remove_prefix(part.size() == text.size() ? text.size() : part.size() + mark.size());
  return part;
}

/// Returns the texts of a range with `between` between them.
///
/// text  returns the text of an element; by default, the elements are texts
template <class Range, class Text = std::identity>
  requires requires(const Range& range, Text text) {
    { std::invoke(text, *range.begin()) } -> std::convertible_to<std::string_view>;
  }
[[nodiscard]] std::string joined(const Range& range, std::string_view between, Text text = {}) {
  std::string all;
  bool is_first = true;
  for (const auto& each : range) {
    all.append(std::exchange(is_first, false) ? "" : between).append(std::invoke(text, each));
  }
  return all;
}

[[nodiscard]] constexpr bool is_digit(char byte) noexcept {
  return byte >= '0' && byte <= '9';
}

[[nodiscard]] constexpr bool is_letter(char byte) noexcept {
  const char lower = to_lower(byte);
  return lower >= 'a' && lower <= 'z';
}

/// The end of each line of a head (RFC 9112, section 2.2).
inline constexpr std::string_view kCrlf = "\r\n";

/// Returns the value of a hexadecimal digit, 0 to 15, or -1 for any other byte.
[[nodiscard]] constexpr int hex_value(char byte) noexcept {
  if (is_digit(byte)) {
    return byte - '0';
  }
  const char lower = to_lower(byte);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// Returns whether the byte is a space or horizontal tab: OWS of RFC 9110, section 5.6.3.
[[nodiscard]] constexpr bool is_blank(char byte) noexcept {
  return byte == ' ' || byte == '\t';
}

/// Returns `text` without the blanks at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// Compares without the case of ASCII letters; other bytes must be equal.
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

/// Compares a secret, such as an API key, a token or a MAC, with the expected one. The time depends
/// on the number of bytes, not on how many of them are right; with ==, a key could be guessed byte
/// by byte. A wrong length is detectable, but keys of one kind have a known length.
[[nodiscard]] bool equals_in_constant_time(std::string_view given,
                                           std::string_view expected) noexcept;

/// Reads decimal digits, with optional leading zeros. Returns nothing for other text or if the
/// number is too large.
[[nodiscard]] std::optional<std::uint64_t> parse_uint64(std::string_view text) noexcept;
/// The same with an optional leading '-'.
[[nodiscard]] std::optional<std::int64_t> parse_int64(std::string_view text) noexcept;
/// Reads a decimal number: "1", "-1.5", ".5", "1e9". Returns nothing for "inf", "nan", blanks, "+",
/// or if it is out of range.
[[nodiscard]] std::optional<double> parse_double(std::string_view text) noexcept;

/// Reads a decimal integer of type T. Returns nothing if `text` is not an integer or does not fit.
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
