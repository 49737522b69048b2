#include "eider/core/base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace eider {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNone = 0xFF;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNone);
  for (std::size_t value = 0; value < kAlphabet.size(); ++value) {
    values[static_cast<unsigned char>(kAlphabet[value])] = static_cast<std::uint8_t>(value);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> kValues = make_values();

/// Writes four characters for one to three bytes; missing bytes count as zero.
void write_four(char* to, std::string_view bytes) noexcept {
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < 3; ++index) {
    const unsigned char byte = index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0;
    bits = bits << 8U | byte;
  }
  for (std::size_t index = 0; index < 4; ++index) {
    const bool is_padding = index > bytes.size();
    to[index] = is_padding ? '=' : kAlphabet[bits >> (18 - 6 * index) & 63U];
  }
}

std::size_t padding_of(std::string_view text) noexcept {
  if (text.ends_with("==")) {
    return 2;
  }
  return text.ends_with('=') ? 1 : 0;
}

/// Returns the 24 bits of four characters; the last `padding` characters count as zero. Returns
/// nothing if a character is outside the alphabet, or if bits after the last whole byte are set.
std::optional<std::uint32_t> read_four(std::string_view four, std::size_t padding) noexcept {
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < 4; ++index) {
    const bool is_padding = index + padding >= 4;
    const auto value = is_padding ? 0 : kValues[static_cast<unsigned char>(four[index])];
    if (value == kNone) {
      return std::nullopt;
    }
    bits = bits << 6U | static_cast<std::uint32_t>(value);
  }
  const std::uint32_t spare = (1U << (8 * padding)) - 1;
  return (bits & spare) == 0 ? std::optional(bits) : std::nullopt;
}

}  // namespace

void write_base64(char* to, std::string_view bytes) noexcept {
  for (; !bytes.empty(); bytes = bytes.size() > 3 ? bytes.substr(3) : std::string_view()) {
    write_four(to, bytes.substr(0, 3));
    to += 4;
  }
}

std::string to_base64(std::string_view bytes) {
  std::string text(base64_size(bytes.size()), '\0');
  write_base64(text.data(), bytes);
  return text;
}

std::optional<std::size_t> read_base64(std::string_view text, std::span<char> to) noexcept {
  const std::size_t padding = padding_of(text);
  if (text.size() % 4 != 0 || text.size() / 4 * 3 > to.size() + padding) {
    return std::nullopt;
  }
  const std::size_t bytes = text.size() / 4 * 3 - padding;
  for (std::size_t at = 0; at < bytes; at += 3) {
    const bool is_last = at + 3 >= bytes;
    const auto bits = read_four(text.substr(at / 3 * 4, 4), is_last ? padding : 0);
    if (!bits.has_value()) {
      return std::nullopt;
    }
    for (std::size_t index = 0; index < 3 && at + index < bytes; ++index) {
      to[at + index] = static_cast<char>(*bits >> (16 - 8 * index));
    }
  }
  return bytes;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const std::optional<std::size_t> size = read_base64(text, bytes);
  if (!size.has_value()) {
    return std::nullopt;
  }
  bytes.resize(*size);
  return bytes;
}

std::string to_base64_unpadded(std::string_view bytes) {
  std::string text = to_base64(bytes);
  text.resize(text.size() - padding_of(text));
  return text;
}

std::optional<std::string> from_base64_unpadded(std::string_view text) {
  if (text.ends_with('=')) {
    return std::nullopt;
  }
  std::string padded(text);
  padded.append((4 - text.size() % 4) % 4, '=');
  return from_base64(padded);  // which rejects three '=' of padding
}

std::string to_base64url(std::string_view bytes) {
  std::string text = to_base64_unpadded(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  if (text.find_first_of("+/") != std::string_view::npos) {
    return std::nullopt;
  }
  std::string usual(text);
  std::ranges::replace(usual, '-', '+');
  std::ranges::replace(usual, '_', '/');
  return from_base64_unpadded(usual);
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

}  // namespace eider
