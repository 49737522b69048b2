#include "eider/route/method_set.h"

namespace eider {

std::string MethodSet::text() const {
  std::string text;
  for (int i = 0; i < static_cast<int>(Method::unknown); ++i) {
    const auto method = static_cast<Method>(i);
    if (contains(method)) {
      text += text.empty() ? "" : ", ";
      text += to_text(method);
    }
  }
  return text;
}

}  // namespace eider
