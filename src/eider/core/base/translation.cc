#include "eider/core/base/translation.h"

#include <algorithm>

namespace eider {

std::string label_of(std::string_view name) {
  std::string text(name);
  std::ranges::replace(text, '_', ' ');
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

}  // namespace eider
