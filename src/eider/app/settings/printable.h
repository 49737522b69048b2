// Formats input for messages, as one printable line.
// Layering: must not be used for output that programs read, because bytes are lost.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/hidden_text.h"

namespace eider::detail::app {

/// Returns the text as one line in which every character is visible: input must not add lines or
/// colors, or reorder the output.
[[nodiscard]] inline std::string printable(std::string_view line) {
  return with_hidden_replaced(line, '?');
}

}  // namespace eider::detail::app
