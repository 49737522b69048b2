// Reads and writes numbers in network byte order, and rejects invalid values.
// Layering: must not be included outside of this folder.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "eider/data/db/failure.h"
#include "eider/data/db/postgres/codec.h"

namespace eider::db::postgres {

[[noreturn]] inline void refuse_bytes(Oid type) {
  throw Failure(FailureKind::row,
                "PostgreSQL sent an invalid value of type " + std::to_string(type));
}

/// Returns the bytes of a number in network byte order.
template <class Number>
std::array<char, sizeof(Number)> to_network(Number number) noexcept {
  auto raw = std::bit_cast<std::array<char, sizeof(Number)>>(number);
  std::ranges::reverse(raw);
  return raw;
}

/// Returns the number with these bytes. Pre: there are enough bytes.
template <class Number>
Number from_network(const char* bytes) noexcept {
  std::array<char, sizeof(Number)> raw{};
  std::memcpy(raw.data(), bytes, raw.size());
  std::ranges::reverse(raw);
  return std::bit_cast<Number>(raw);
}

/// Reads a number in network byte order.
template <class Number>
Number number_at(std::string_view bytes, std::size_t at, Oid type) {
  if (bytes.size() < at + sizeof(Number)) {
    refuse_bytes(type);
  }
  return from_network<Number>(bytes.data() + at);
}

template <class Number>
Number whole_number(std::string_view bytes, Oid type) {
  if (bytes.size() != sizeof(Number)) {
    refuse_bytes(type);
  }
  return number_at<Number>(bytes, 0, type);
}

inline Cell of_text(std::string_view text) noexcept {
  return {.kind = Value::Kind::text, .bytes = text};
}

/// Adds a number with leading zeros, up to `width`.
inline void add_digits(std::string& text, std::int64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  text.append(digits.size() < width ? width - digits.size() : 0, '0');
  text += digits;
}

}  // namespace eider::db::postgres
