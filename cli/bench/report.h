// The report of a run for readers: on a terminal, and as a web page.
// Layering: must not know where it is written to.
#pragma once

#include <string>

#include "cli/bench/summary.h"

namespace eider::bench {

/// Some lines of at most 100 columns, each with its end; UTF-8.
[[nodiscard]] std::string report_text(const Summary& summary);

/// One HTML page that needs nothing else: report_page.html with the run's JSON, which its script
/// draws. UTF-8; light or dark as the reader's system is; readable from 390 px of width on.
[[nodiscard]] std::string report_html(const Summary& summary);

/// "1.23 ms", three digits.
[[nodiscard]] std::string ms_text(double milliseconds);
/// "12.3 MB", by thousands.
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace eider::bench
