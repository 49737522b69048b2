#include "eider/core/base/text.h"

#include <algorithm>
#include <charconv>

namespace eider {

namespace {

/// Parses the whole of `text` with from_chars.
template <class T>
std::optional<T> parse_whole(std::string_view text) noexcept {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end ? std::optional<T>(value) : std::nullopt;
}

}  // namespace

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), to_lower);
  return lower;
}

bool equals_in_constant_time(std::string_view given, std::string_view expected) noexcept {
  if (given.size() != expected.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i] ^ expected[i]);
    // Hide the value from the compiler, which could otherwise leave the loop early.
    asm volatile("" : "+r"(difference));
  }
  return difference == 0;
}

std::optional<std::uint64_t> parse_uint64(std::string_view text) noexcept {
  return parse_whole<std::uint64_t>(text);
}

std::optional<std::int64_t> parse_int64(std::string_view text) noexcept {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> parse_double(std::string_view text) noexcept {
  // from_chars also accepts "inf" and "nan", which protocols do not allow.
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  if (first == text.size() || !(is_digit(text[first]) || text[first] == '.')) {
    return std::nullopt;
  }
  return parse_whole<double>(text);
}

}  // namespace eider
