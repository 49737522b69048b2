// The clock that deadlines are read from, steady, and lengths of time as people write them.
// Must not be used for dates; those come from the wall clock (http/date.h).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Reads a whole number with one of the units ns, us, ms, s, m, h and d: "250ms", "10s", "2h".
///
/// returns  nothing for any other text, and for more than 292 years
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text) noexcept;

/// The same the other way round, in the largest unit in which it is a whole number: "90s".
[[nodiscard]] std::string format_duration(Duration duration);

namespace detail::runtime {

/// On an event loop's thread its Loop::now, which tests simulate. On other threads the steady
/// clock, which may differ from a loop's by the length of a turn. Where there is always a loop, use
/// Loop::now.
[[nodiscard]] Instant now_anywhere() noexcept;

}  // namespace detail::runtime
}  // namespace eider
