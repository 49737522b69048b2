// A fast hash of short texts, for tables with keys that clients do not choose.
// Layering: must not be used for tables that clients fill: it has no secret.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace eider::route {

namespace detail {

inline std::uint64_t load_word(const char* at) noexcept {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

inline std::uint64_t load_half(const char* at) noexcept {
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// Reads up to seven bytes as one number; texts of equal length give different numbers.
inline std::uint64_t load_short(std::string_view text) noexcept {
  const std::size_t size = text.size();
  if (size >= 4) {
    return load_half(text.data()) << 32U | load_half(text.data() + size - 4);
  }
  if (size == 0) {
    return 0;
  }
  const auto byte = [&](std::size_t at) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(text[at]));
  };
  return byte(0) << 16U | byte(size / 2) << 8U | byte(size - 1);
}

inline std::uint64_t mix(std::uint64_t left, std::uint64_t right) noexcept {
  const auto product = static_cast<unsigned __int128>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

}  // namespace detail

/// seed  distinguishes equal texts in different places
inline std::uint64_t hash_bytes(std::string_view text, std::uint64_t seed = 0) noexcept {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  constexpr std::uint64_t kOther = 0xD6E8FEB86659FD93;
  std::uint64_t hash = (seed ^ text.size()) * kOdd + kOther;
  if (text.size() < 8) {
    return detail::mix(hash ^ detail::load_short(text), kOdd);
  }
  for (std::size_t at = 0; at + 8 < text.size(); at += 8) {
    hash = detail::mix(hash ^ detail::load_word(text.data() + at), kOther);
  }
  return detail::mix(hash ^ detail::load_word(text.data() + text.size() - 8), kOdd);
}

/// Returns whether two texts of equal length are the same.
inline bool equals(const char* left, std::string_view right) noexcept {
  const std::size_t size = right.size();
  if (size < 8 || size > 64) {
    return std::memcmp(left, right.data(), size) == 0;
  }
  for (std::size_t at = 0; at + 8 < size; at += 8) {
    if (detail::load_word(left + at) != detail::load_word(right.data() + at)) {
      return false;
    }
  }
  return detail::load_word(left + size - 8) == detail::load_word(right.data() + size - 8);
}

}  // namespace eider::route
