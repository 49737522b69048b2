#include "eider/auth/apikeys/apikey_text.h"

#include <algorithm>
#include <cstdint>

#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"

namespace eider::detail::apikeys {

namespace {

constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kPrefixCharsMax = 16;

/// CRC-32 of ISO 3309, as in zlib: it detects typing errors, but is not a signature.
std::uint32_t crc32_of(std::string_view text) noexcept {
  constexpr std::uint32_t kPolynomial = 0xEDB88320U;
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : text) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) == 0 ? 0 : kPolynomial);
    }
  }
  return ~crc;
}

std::string checksum_of(std::string_view text) {
  std::string digits(kChecksumChars, '0');
  std::uint32_t rest = crc32_of(text);
  for (char& digit : digits) {
    digit = kDigits[rest % kDigits.size()];
    rest /= static_cast<std::uint32_t>(kDigits.size());
  }
  return digits;
}

std::string random_chars() {
  // Bytes from this value on would make the first characters more frequent.
  constexpr std::size_t kEvenUntil = 256 - 256 % kDigits.size();
  std::string chars;
  while (chars.size() < kRandomChars) {
    for (const char byte : secret_bytes(kRandomChars)) {
      const std::size_t value = static_cast<unsigned char>(byte);
      if (value < kEvenUntil && chars.size() < kRandomChars) {
        chars.push_back(kDigits[value % kDigits.size()]);
      }
    }
  }
  return chars;
}

}  // namespace

bool is_key_prefix(std::string_view prefix) noexcept {
  return !prefix.empty() && prefix.size() <= kPrefixCharsMax && !is_digit(prefix.front()) &&
         std::ranges::all_of(prefix, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
}

std::string make_key(std::string_view prefix) {
  std::string key = std::string(prefix) + "_" + random_chars();
  return key += checksum_of(key);
}

bool is_key(std::string_view text, std::string_view prefix) noexcept {
  if (text.size() != prefix.size() + 1 + kRandomChars + kChecksumChars ||
      !text.starts_with(prefix) || text[prefix.size()] != '_' ||
      text.find_first_not_of(kDigits, prefix.size() + 1) != std::string_view::npos) {
    return false;
  }
  const std::string_view signed_part = text.substr(0, text.size() - kChecksumChars);
  return checksum_of(signed_part) == text.substr(signed_part.size());
}

}  // namespace eider::detail::apikeys
