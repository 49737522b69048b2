#include "eider/core/base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace eider {

namespace {

struct Utf8Form {
  std::size_t bytes;
  unsigned char second_min;
  unsigned char second_max;
};

/// The table of RFC 3629, section 4, by first byte.
Utf8Form utf8_form(unsigned char first) noexcept {
  if (first < 0x80) {
    return {1, 0, 0};
  }
  if (first < 0xC2 || first > 0xF4) {
    return {0, 0, 0};
  }
  if (first < 0xE0) {
    return {2, 0x80, 0xBF};
  }
  if (first < 0xF0) {
    return {3, static_cast<unsigned char>(first == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(first == 0xED ? 0x9F : 0xBF)};
  }
  return {4, static_cast<unsigned char>(first == 0xF0 ? 0x90 : 0x80),
          static_cast<unsigned char>(first == 0xF4 ? 0x8F : 0xBF)};
}

/// Skips the ASCII at the start of `text`; up to seven ASCII bytes may remain.
std::string_view skip_ascii(std::string_view text) noexcept {
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  std::uint64_t eight = 0;
  while (text.size() >= sizeof(eight)) {
    std::memcpy(&eight, text.data(), sizeof(eight));
    if ((eight & kHighs) != 0) {
      break;
    }
    text.remove_prefix(sizeof(eight));
  }
  return text;
}

}  // namespace

std::size_t utf8_sequence_bytes(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const Utf8Form form = utf8_form(byte(0));
  if (form.bytes <= 1) {
    return form.bytes;
  }
  if (text.size() < form.bytes || byte(1) < form.second_min || byte(1) > form.second_max) {
    return 0;
  }
  for (std::size_t i = 2; i < form.bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  return form.bytes;
}

bool is_utf8(std::string_view text) noexcept {
  for (text = skip_ascii(text); !text.empty(); text = skip_ascii(text)) {
    // Check at least one sequence: the next eight bytes are not all ASCII, or there are fewer.
    const std::size_t bytes = utf8_sequence_bytes(text);
    if (bytes == 0) {
      return false;
    }
    text.remove_prefix(bytes);
  }
  return true;
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes_max) noexcept {
  std::size_t bytes = std::min(bytes_max, text.size());
  while (bytes > 0 && bytes < text.size() &&
         (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) {
    --bytes;
  }
  return text.substr(0, bytes);
}

}  // namespace eider
