#include "eider/core/kinds/uuid.h"

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::size_t kUuidBytes = 36;

constexpr bool is_hyphen_place(std::size_t index) noexcept {
  return index == 8 || index == 13 || index == 18 || index == 23;
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) noexcept {
  if (text.size() != kUuidBytes) {
    return std::nullopt;
  }
  Bytes bytes{};
  std::size_t digits = 0;
  for (std::size_t i = 0; i < kUuidBytes; ++i) {
    if (is_hyphen_place(i)) {
      if (text[i] != '-') {
        return std::nullopt;
      }
      continue;
    }
    const int value = hex_value(text[i]);
    if (value < 0) {
      return std::nullopt;
    }
    std::uint8_t& byte = bytes[digits++ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
  }
  return Uuid(bytes);
}

ShortText Uuid::text() const noexcept {
  constexpr std::string_view kDigits = "0123456789abcdef";
  ShortText text;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      text += '-';
    }
    text += kDigits[bytes_[i] >> 4];
    text += kDigits[bytes_[i] & 0xFU];
  }
  return text;
}

}  // namespace eider
