#include "eider/core/base/base32.h"

#include <cstddef>
#include <cstdint>

#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kBase32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr unsigned kBitsPerLetter = 5;
constexpr unsigned kBitsPerByte = 8;
constexpr std::size_t kLettersPerGroup = 8;

/// Returns 32 for a character outside the alphabet.
std::uint32_t base32_value_of(char letter) noexcept {
  const char small = to_lower(letter);
  if (small >= 'a' && small <= 'z') {
    return static_cast<std::uint32_t>(small - 'a');
  }
  return letter >= '2' && letter <= '7' ? static_cast<std::uint32_t>(letter - '2') + 26U : 32U;
}

}  // namespace

std::string to_base32(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char byte : bytes) {
    bits = (bits << kBitsPerByte) | static_cast<unsigned char>(byte);
    count += kBitsPerByte;
    while (count >= kBitsPerLetter) {
      count -= kBitsPerLetter;
      text.push_back(kBase32Letters[(bits >> count) & 31U]);
    }
    bits &= (1U << count) - 1U;
  }
  if (count > 0) {
    text.push_back(kBase32Letters[(bits << (kBitsPerLetter - count)) & 31U]);
  }
  return text;
}

std::optional<std::string> from_base32(std::string_view text) {
  if (text.contains('=')) {
    const std::size_t end = text.find_last_not_of('=') + 1;
    const bool is_padded =
        text.size() % kLettersPerGroup == 0 && text.size() - end < kLettersPerGroup;
    text = text.substr(0, end);
    if (!is_padded) {
      return std::nullopt;
    }
  }
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char letter : text) {
    const std::uint32_t value = base32_value_of(letter);
    if (value > 31U) {
      return std::nullopt;
    }
    bits = (bits << kBitsPerLetter) | value;
    count += kBitsPerLetter;
    if (count >= kBitsPerByte) {
      count -= kBitsPerByte;
      bytes.push_back(static_cast<char>((bits >> count) & 255U));
      bits &= (1U << count) - 1U;
    }
  }
  if (count >= kBitsPerLetter || bits != 0) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace eider
