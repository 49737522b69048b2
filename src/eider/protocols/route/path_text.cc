#include "eider/protocols/route/path_text.h"

#include <algorithm>

#include "eider/core/base/url.h"

namespace eider::route {
namespace {

/// Returns the byte of the escape at the start of `text`; nothing if it is invalid or a NUL.
std::optional<char> read_escape(std::string_view text) noexcept {
  const int byte = escaped_byte(text);
  if (byte <= 0) {
    return std::nullopt;
  }
  return byte == '/' ? kEscapedSlash : static_cast<char>(byte);
}

constexpr bool is_slash(char byte) noexcept {
  return byte == '/' || byte == kEscapedSlash;
}

/// Removes and returns the first segment of `text`; '/' and '\' end it.
std::string_view take_segment(std::string_view& text) noexcept {
  const auto end = std::find_if(text.begin(), text.end(), is_slash);
  const std::string_view segment(text.begin(), end);
  text.remove_prefix(std::min(text.size(), segment.size() + 1));
  return segment;
}

bool is_dots(std::string_view segment) noexcept {
  return segment == "." || segment == "..";
}

}  // namespace

std::optional<std::string_view> decode_path(std::string_view path, Buffer& scratch) {
  scratch.clear();
  // Reserve everything at once: decoding never needs more, so the bytes do not move.
  char* out = scratch.reserve(path.size());
  std::size_t written = 0;
  for (std::size_t at = 0; at < path.size(); ++at) {
    if (path[at] == '\0') {
      return std::nullopt;
    }
    char byte = path[at];
    if (byte == '%') {
      const std::optional<char> decoded = read_escape(path.substr(at));
      if (!decoded) {
        return std::nullopt;
      }
      byte = *decoded;
      at += 2;
    }
    out[written++] = byte;
  }
  scratch.commit(written);
  return scratch.view();
}

void restore_slashes(Buffer& scratch) noexcept {
  std::replace(scratch.data(), scratch.data() + scratch.size(), kEscapedSlash, '/');
}

bool has_dot_segment(std::string_view text) noexcept {
  while (!text.empty()) {
    if (is_dots(take_segment(text))) {
      return true;
    }
  }
  return false;
}

bool is_safe_rest(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::string_view segment = take_segment(text);
    if (segment.empty() || is_dots(segment)) {
      return false;
    }
  }
  return true;
}

}  // namespace eider::route
