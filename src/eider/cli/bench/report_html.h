// A run's report as one HTML page that needs nothing else.
// Must not refer to anything outside of itself.
#pragma once

#include <string>

#include "eider/cli/bench/summary.h"

namespace eider::bench {

/// UTF-8; light or dark as the reader's system is; readable from 390 px of width on.
[[nodiscard]] std::string report_html(const Summary& summary);

}  // namespace eider::bench
