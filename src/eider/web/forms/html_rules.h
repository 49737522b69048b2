// Converts validation rules and values to HTML attributes that browsers check.
// Layering: must not know forms or requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider::forms::detail {

/// The same for the `pattern` attribute. Browsers read that by the flag v of ECMA-262, which wants
/// more characters of classes escaped than patterns of JSON Schema have, and pass over one that is
/// wrong by it.
///
/// returns  empty for one that no escape mends: the server still asks
/// source   HTML, "the pattern attribute"; ECMA-262, 22.2.1, ClassSetCharacter
[[nodiscard]] std::string browser_pattern(std::string_view pattern);

/// Whether a browser shows `value` in an input of that type: of a number, date, time or
/// datetime-local it drops others; it shows any in other inputs.
///
/// source  HTML, "Dates and times": no year 0, at most 3 digits behind the second
[[nodiscard]] bool is_shown_by_browsers(std::string_view input_type, std::string_view value);

/// Without the zeros that end a fraction of a second of more than 3 digits.
[[nodiscard]] std::string_view without_fraction_zeros(std::string_view time) noexcept;

}  // namespace eider::forms::detail
