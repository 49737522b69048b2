// Writes constants, short texts and numbers to a place that has room for them.
// Must not check for room: callers have reserved it.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace eider::h1::detail {

inline constexpr std::size_t kDigitsMax = 20;

/// For constants: the size is known where this is inlined, so that it is a move or two.
inline char* put(char* at, std::string_view text) noexcept {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

/// For short texts of any size: two moves that may overlap instead of a call.
inline char* put_short(char* at, std::string_view text) noexcept {
  const std::size_t bytes = text.size();
  const char* from = text.data();
  if (bytes >= 8 && bytes <= 16) {
    std::memcpy(at, from, 8);
    std::memcpy(at + bytes - 8, from + bytes - 8, 8);
  } else if (bytes > 16 && bytes <= 32) {
    std::memcpy(at, from, 16);
    std::memcpy(at + bytes - 16, from + bytes - 16, 16);
  } else if (bytes != 0) {
    std::memcpy(at, from, bytes);
  }
  return at + bytes;
}

inline char* put_number(char* at, std::uint64_t number) noexcept {
  return std::to_chars(at, at + kDigitsMax, number).ptr;
}

}  // namespace eider::h1::detail
