#include "eider/core/base/utf8_stream.h"

#include <cstring>

namespace eider {

namespace {

constexpr std::uint64_t kHighs = 0x8080808080808080;

std::uint64_t read_eight(const char* at) noexcept {
  std::uint64_t eight = 0;
  std::memcpy(&eight, at, sizeof(eight));
  return eight;
}

/// Skips ASCII at the start of `text`, 32 bytes at a time.
std::string_view skip_much_ascii(std::string_view text) noexcept {
  while (text.size() >= 32) {
    const char* at = text.data();
    const std::uint64_t any =
        read_eight(at) | read_eight(at + 8) | read_eight(at + 16) | read_eight(at + 24);
    if ((any & kHighs) != 0) {
      break;
    }
    text.remove_prefix(32);
  }
  while (text.size() >= 8 && (read_eight(text.data()) & kHighs) == 0) {
    text.remove_prefix(8);
  }
  return text;
}

}  // namespace

bool Utf8Stream::take(std::string_view piece) noexcept {
  piece = finish_sequence(piece);
  while (!piece.empty() && left_ != kFailed) {
    piece = skip_much_ascii(piece);
    if (piece.empty()) {
      break;
    }
    begin_sequence(static_cast<unsigned char>(piece.front()));
    piece = finish_sequence(piece.substr(1));
  }
  return left_ != kFailed;
}

/// The table of RFC 3629, section 4, by first byte.
void Utf8Stream::begin_sequence(unsigned char first) noexcept {
  if (first < 0x80) {
    return;
  }
  if (first < 0xC2 || first > 0xF4) {
    left_ = kFailed;
    return;
  }
  left_ = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  // Overlong forms, surrogates and code points above U+10FFFF are detected at the second byte.
  next_min_ = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  next_max_ = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
}

void Utf8Stream::continue_sequence(unsigned char byte) noexcept {
  const bool fits = byte >= next_min_ && byte <= next_max_;
  left_ = fits ? static_cast<std::uint8_t>(left_ - 1) : kFailed;
  next_min_ = 0x80;
  next_max_ = 0xBF;
}

/// Consumes the rest of the current sequence and returns the remaining bytes of `piece`.
std::string_view Utf8Stream::finish_sequence(std::string_view piece) noexcept {
  std::size_t at = 0;
  while (at < piece.size() && left_ != 0 && left_ != kFailed) {
    continue_sequence(static_cast<unsigned char>(piece[at]));
    ++at;
  }
  return piece.substr(at);
}

}  // namespace eider
