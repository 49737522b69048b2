// Strings and numbers of JSON text: escapes and number forms.
// Layering: must not know structure: arrays, objects and their members are the reader's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider::json::detail {

/// What stands between two quotes, as it was sent.
struct RawString {
  std::string_view bytes;
  bool has_escapes;
};

/// Finds the closing quote. Pre: there is one, and 8 readable bytes behind it.
[[nodiscard]] RawString raw_string(const char* behind_quote) noexcept;

/// The string that `raw` stands for, or nothing: a bad escape, or half of a surrogate pair
/// (RFC 8259, sections 7 and 8.2).
[[nodiscard]] std::optional<std::string> unescape(std::string_view raw);

enum class NumberForm : std::uint8_t { kNone, kInteger, kReal };

/// Whether all of `token` is a number, and one without fraction and exponent (RFC 8259, section 6).
[[nodiscard]] NumberForm number_form(std::string_view token) noexcept;

/// The integer that a number with fraction or exponent is, in digits alone: "84" for 84.0 and
/// 8.4e1; nothing for 84.5. One that is beyond 64 bits may be written with fewer digits than it
/// has, and is still beyond 64 bits. Pre: number_form(token) is not kNone.
///
/// source  JSON Schema 2020-12 Validation, section 6.1.1
[[nodiscard]] std::optional<std::string> integer_digits(std::string_view token);

}  // namespace eider::json::detail
