#include "eider/web/storage/storage_key.h"

#include <algorithm>
#include <string>

#include "eider/core/base/utf8.h"

namespace eider {

namespace {

constexpr std::size_t kShownBytesMax = 64;

/// For one line of a log or an error: without control characters, and not as long as a key may be.
std::string shown_key(std::string_view key) {
  std::string shown(key.substr(0, kShownBytesMax));
  std::ranges::replace_if(shown, [](char byte) { return byte < ' ' || byte > '~'; }, '?');
  return "\"" + shown + (key.size() > kShownBytesMax ? "…\"" : "\"");
}

/// Whether it contains a control character of ASCII (C0, DEL) or of ISO 8859 (C1, in UTF-8).
bool has_control(std::string_view key) noexcept {
  for (std::size_t index = 0; index < key.size(); ++index) {
    const auto byte = static_cast<unsigned char>(key[index]);
    if (byte < 0x20 || byte == 0x7f) {
      return true;
    }
    if (byte == 0xc2 && index + 1 < key.size() &&
        static_cast<unsigned char>(key[index + 1]) < 0xa0) {
      return true;
    }
  }
  return false;
}

/// Returns the requirement that the segment violates, or null.
const char* wrong_segment(std::string_view segment) noexcept {
  if (segment.empty()) {
    return "must not start or end with '/' or contain \"//\"";
  }
  if (segment == "." || segment == "..") {
    return "must not contain a segment \".\" or \"..\"";
  }
  return segment.size() > kStorageSegmentBytesMax ? "must have at most 240 bytes between two '/'"
                                                  : nullptr;
}

const char* wrong_bytes(std::string_view key) noexcept {
  if (key.size() > kStorageKeyBytesMax) {
    return "must have at most 1,024 bytes";
  }
  if (!is_utf8(key)) {
    return "must be UTF-8";
  }
  if (has_control(key)) {
    return "must not contain control characters";
  }
  return key.find('\\') != std::string_view::npos ? "must not contain a backslash" : nullptr;
}

const char* wrong_key(std::string_view key) noexcept {
  if (key.empty()) {
    return "must not be empty";
  }
  if (const char* const wrong = wrong_bytes(key)) {
    return wrong;
  }
  while (true) {
    const std::size_t slash = key.find('/');
    if (const char* const wrong = wrong_segment(key.substr(0, slash))) {
      return wrong;
    }
    if (slash == std::string_view::npos) {
      return nullptr;
    }
    key.remove_prefix(slash + 1);
  }
}

Result<void> reported(const char* wrong, std::string_view key, const char* what) {
  if (wrong == nullptr) {
    return {};
  }
  return fail(
      Error::bad_request(std::string("The ") + what + " " + shown_key(key) + " " + wrong + "."));
}

}  // namespace

Result<void> check_storage_key(std::string_view key) {
  return reported(wrong_key(key), key, "key");
}

Result<void> check_storage_prefix(std::string_view prefix) {
  if (prefix.empty()) {
    return {};
  }
  // A prefix may end anywhere in a key, also after a slash or within "..".
  const std::size_t slash = prefix.rfind('/');
  const std::string_view last = slash == std::string_view::npos ? prefix : prefix.substr(slash + 1);
  if (last.empty() || last == "." || last == "..") {
    return reported(wrong_key(std::string(prefix) + "-"), prefix, "prefix");
  }
  return reported(wrong_key(prefix), prefix, "prefix");
}

}  // namespace eider
