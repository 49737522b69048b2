// Formats an error for the terminal and as a web page.
// Layering: must escape everything, because compilers quote sources.
#pragma once

#include <string>
#include <string_view>

#include "cli/dev/dev_state.h"

namespace eider::dev {

/// Title, first causes and hints; no more than `diagnostics_max` of them.
[[nodiscard]] std::string fault_text(const Fault& fault, std::size_t diagnostics_max = 5);

/// A whole page.
///
/// end  put ahead of </body> as it is
[[nodiscard]] std::string fault_page(const Fault& fault, std::string_view end);

}  // namespace eider::dev
