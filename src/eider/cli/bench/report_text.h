// A run's report for people at a terminal.
// Must not know where it is printed.
#pragma once

#include <string>

#include "eider/cli/bench/summary.h"

namespace eider::bench {

/// Some lines of at most 100 columns, each with its end; UTF-8.
[[nodiscard]] std::string report_text(const Summary& summary);

/// "1.23 ms", three digits.
[[nodiscard]] std::string ms_text(double milliseconds);
/// "12.3 MB", by thousands.
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace eider::bench
