// The steady clock for deadlines, and durations as text.
// Layering: must not be used for dates; those come from the wall clock (http/date.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Parses a whole number with one of the units ns, us, ms, s, m, h and d: "250ms", "10s", "2h".
///
/// returns  nothing for any other text, and for more than 292 years
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text) noexcept;

/// Formats a duration in the largest unit in which it is a whole number: "90s".
[[nodiscard]] std::string format_duration(Duration duration);

namespace detail::runtime {

/// Returns Loop::now on an event loop's thread, which tests simulate. On other threads it returns
/// the steady clock, which may differ from a loop's by the length of a turn. If there is always a
/// loop, use Loop::now.
[[nodiscard]] Instant now_anywhere() noexcept;

}  // namespace detail::runtime
}  // namespace eider
