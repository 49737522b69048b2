// Formats an error for the terminal and as a web page.
// Layering: must escape everything, because compilers quote sources.
#pragma once

#include <string>
#include <string_view>

#include "cli/dev/dev_state.h"

namespace eider::dev {

/// Returns the title, and at most `diagnostics_max` errors with hints, the first causes first.
[[nodiscard]] std::string fault_text(const Fault& fault, std::size_t diagnostics_max = 5);

/// Returns a whole page.
///
/// end  inserted unchanged before </body>
[[nodiscard]] std::string fault_page(const Fault& fault, std::string_view end);

}  // namespace eider::dev
