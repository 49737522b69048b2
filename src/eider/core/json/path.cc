#include "eider/core/json/path.h"

#include <algorithm>

#include "eider/core/base/shortened.h"

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

std::string Path::pointer(std::string_view below) const {
  std::string pointer;
  append_to(pointer);
  pointer += below;
  return eider::detail::base::shortened(pointer, kPointerBytesMax);
}

/// Appends at least kPointerBytesMax bytes, if there are as many.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the text may be
void Path::append_to(std::string& pointer) const {
  if (up_ == nullptr) {
    return;
  }
  up_->append_to(pointer);
  if (pointer.size() > kPointerBytesMax) {
    return;
  }
  pointer += '/';
  if (name_ == nullptr) {
    pointer += std::to_string(size_or_index_);
  } else {
    // Up to three more bytes complete a UTF-8 character at the limit.
    append_token(pointer, {name_, std::min(size_or_index_, kPointerBytesMax + 3)});
  }
}

}  // namespace eider::json::detail
