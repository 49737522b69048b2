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

/// "Sun, 06 Nov 1994 08:49:37 GMT".
///
/// unix_seconds  years 0 to 9999; what lies outside is moved to the nearer end
[[nodiscard]] DateText format_date(std::int64_t unix_seconds) noexcept;

/// The seconds since 1970 of an IMF-fixdate, an RFC 850 date or an asctime date.
///
/// now_seconds  decides the century of RFC 850's two digits: at most 50 years from now
/// returns      nothing when the text is no such date, or a day that does not exist
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view text,
                                                     std::int64_t now_seconds) noexcept;

}  // namespace eider
