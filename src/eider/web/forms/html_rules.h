// Converts validation rules and values to HTML attributes that browsers check.
// Layering: must not know forms or requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider::forms::detail {

/// Converts a pattern for the `pattern` attribute. Browsers use flag v of ECMA-262, which requires
/// more escaped characters in classes than JSON Schema, and ignore a pattern that is invalid.
///
/// returns  empty if no escape makes the pattern valid: the server still checks it
/// source   HTML, "the pattern attribute"; ECMA-262, 22.2.1, ClassSetCharacter
[[nodiscard]] std::string browser_pattern(std::string_view pattern);

/// Returns whether a browser shows `value` in an input of that type. Inputs for a number, date,
/// time or datetime-local discard other values; all other inputs show any value.
///
/// source  HTML, "Dates and times": no year 0, at most 3 digits after the second
[[nodiscard]] bool is_shown_by_browsers(std::string_view input_type, std::string_view value);

/// Removes trailing zeros from a fraction of a second with more than 3 digits.
[[nodiscard]] std::string_view without_fraction_zeros(std::string_view time) noexcept;

}  // namespace eider::forms::detail
