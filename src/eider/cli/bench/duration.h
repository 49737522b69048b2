// Lengths of time as people write them: "10s", "500ms", "1.5m".
// Must not know what they are for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/runtime/time.h"

namespace eider::bench {

/// Reads a number with one of the units us, ms, s, m and h; seconds when there is none.
///
/// returns  nothing for any other text, for less than a microsecond, and for more than 24 h
[[nodiscard]] std::optional<Duration> read_duration(std::string_view text) noexcept;

/// Three digits and a unit: "12.3 ms", "1.50 s", "870 us".
[[nodiscard]] std::string to_text(Duration duration);

}  // namespace eider::bench
