// Words from outside in what a program says of itself.
// Must not be used for what programs read: bytes are lost.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace eider::detail::app {

/// One line without control bytes: what comes from outside must not write lines or colours of its
/// own.
[[nodiscard]] inline std::string printable(std::string_view line) {
  std::string text(line);
  std::ranges::replace_if(
      text, [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7F; }, '?');
  return text;
}

}  // namespace eider::detail::app
