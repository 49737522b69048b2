// The clock that deadlines are read from: steady, and read once per turn of a loop.
// Must not be used for dates; those come from the wall clock (http/date.h).
#pragma once

#include <chrono>

namespace eider {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

}  // namespace eider
