// Formats input for messages, as one printable line.
// Layering: must not be used for output that programs read, because bytes are lost.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/hidden_text.h"

namespace eider::detail::app {

/// Returns one line that shows all that it contains: input must not write lines or colors of its
/// own, nor reorder what is shown.
[[nodiscard]] inline std::string printable(std::string_view line) {
  return with_hidden_replaced(line, '?');
}

}  // namespace eider::detail::app
