// Writes the result of a command as JSON, for --json.
// Layering: must not print; the command selects the output.
#pragma once

#include <string>

#include "eider/core/json/write.h"

namespace eider {

/// Returns one line with its line end; members have their own names.
template <class T>
[[nodiscard]] std::string json_line(const T& found) {
  return json::to_text(found) + "\n";
}

}  // namespace eider
