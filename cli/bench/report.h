// The report of a run for readers: on a terminal, and as a web page.
// Layering: must not know where it is written to.
#pragma once

#include <string>

#include "cli/bench/summary.h"

namespace eider::bench {

/// Returns lines of at most 100 columns, each with a line end; UTF-8.
[[nodiscard]] std::string report_text(const Summary& summary);

/// Returns one HTML page without dependencies: report_page.html with the run's JSON, which its
/// script draws. UTF-8; light or dark as the reader's system; readable from a width of 390 px.
[[nodiscard]] std::string report_html(const Summary& summary);

/// Formats with three digits: "1.23 ms".
[[nodiscard]] std::string ms_text(double milliseconds);
/// Formats with powers of 1000: "12.3 MB".
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace eider::bench
