// What a command has found, as JSON for programs: each --json writes by this.
// Must not print: standard output, or a file, is for the command to choose.
#pragma once

#include <string>

#include "eider/core/json/write.h"

namespace eider {

/// One line with its end; members by their own names.
template <class T>
[[nodiscard]] std::string json_line(const T& found) {
  return json::to_text(found) + "\n";
}

}  // namespace eider
