// HTTP dates (RFC 9110, section 5.6.7): written as IMF-fixdate, read in all three forms.
// Layering: must not read the clock: the caller passes the time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace eider {

inline constexpr std::size_t kDateBytes = 29;
using DateText = std::array<char, kDateBytes>;

/// Returns the date in the format "Sun, 06 Nov 1994 08:49:37 GMT".
///
/// unix_seconds  years 0 to 9999; other times are replaced by the nearer end of that range
[[nodiscard]] DateText format_date(std::int64_t unix_seconds) noexcept;

/// Parses an IMF-fixdate, an RFC 850 date or an asctime date. Returns the seconds since 1970.
///
/// now_seconds  selects the century for RFC 850's two-digit years: at most 50 years in the future
/// returns      nothing if the text is not such a date, or the day does not exist
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view text,
                                                     std::int64_t now_seconds) noexcept;

}  // namespace eider
