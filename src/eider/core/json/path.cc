#include "eider/core/json/path.h"

namespace eider::json::detail {

namespace {

// '~' is written ~0 and '/' is written ~1 (RFC 6901, section 3).
void append_token(std::string& pointer, std::string_view name) {
  for (const char byte : name) {
    if (byte == '~') {
      pointer += "~0";
    } else if (byte == '/') {
      pointer += "~1";
    } else {
      pointer += byte;
    }
  }
}

}  // namespace

std::string Path::pointer() const {
  if (up_ == nullptr) {
    return {};
  }
  std::string pointer = up_->pointer() + '/';
  if (name_ == nullptr) {
    pointer += std::to_string(size_or_index_);
  } else {
    append_token(pointer, {name_, size_or_index_});
  }
  return pointer;
}

}  // namespace eider::json::detail
