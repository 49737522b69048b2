#include "eider/core/base/shortened.h"

#include <algorithm>

#include "eider/core/base/utf8.h"

namespace eider::detail::base {

std::string shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) {
    return std::string(text);
  }
  std::size_t end = 0;
  while (end < bytes_max) {
    const std::size_t bytes = std::max<std::size_t>(utf8_sequence_bytes(text.substr(end)), 1);
    if (end + bytes > bytes_max) {
      break;
    }
    end += bytes;
  }
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace eider::detail::base
