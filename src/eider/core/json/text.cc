#include "eider/core/json/text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace eider::json::detail {

namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

std::uint64_t load_word(const char* from) noexcept {
  std::uint64_t word;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    word = __builtin_bswap64(word);
  }
  return word;
}

/// The lowest bit set belongs to the first byte equal to `byte`; higher bits may be wrong.
std::uint64_t match(std::uint64_t word, char byte) noexcept {
  const std::uint64_t difference = word ^ (kOnes * static_cast<unsigned char>(byte));
  return (difference - kOnes) & ~difference & kHighs;
}

/// The lowest bit set belongs to the first control character; higher bits may be wrong.
std::uint64_t match_control(std::uint64_t word) noexcept {
  return (word - kOnes * 0x20) & ~word & kHighs;
}

bool is_mark(char byte) noexcept {
  return byte == '"' || byte == '\\' || static_cast<unsigned char>(byte) < 0x20;
}

/// Returns four hexadecimal digits at the start of `text` as a UTF-16 code unit, or nothing.
std::optional<std::uint32_t> code_unit(std::string_view text) noexcept {
  if (text.size() < 4) {
    return std::nullopt;
  }
  std::uint32_t unit = 0;
  for (const char byte : text.substr(0, 4)) {
    const int digit = hex_value(byte);
    if (digit < 0) {
      return std::nullopt;
    }
    unit = unit << 4 | static_cast<std::uint32_t>(digit);
  }
  return unit;
}

bool is_high_surrogate(std::uint32_t unit) noexcept {
  return (unit & 0xFC00U) == 0xD800U;
}
bool is_low_surrogate(std::uint32_t unit) noexcept {
  return (unit & 0xFC00U) == 0xDC00U;
}

char low_byte(std::uint32_t bits) noexcept {
  return static_cast<char>(bits & 0xFFU);
}
char continuation(std::uint32_t bits) noexcept {
  return low_byte(0x80U | (bits & 0x3FU));
}

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += low_byte(point);
  } else if (point < 0x800) {
    out += {low_byte(0xC0U | point >> 6), continuation(point)};
  } else if (point < 0x10000) {
    out += {low_byte(0xE0U | point >> 12), continuation(point >> 6), continuation(point)};
  } else {
    out += {low_byte(0xF0U | point >> 18), continuation(point >> 12), continuation(point >> 6),
            continuation(point)};
  }
}

/// Returns the character of an escape with a single letter, or 0.
char short_escape(char letter) noexcept {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

/// A decimal number: digits without zeros at either end, times ten to the power of `exponent`.
struct Decimal {
  std::string digits;
  std::int64_t exponent;
};

/// Reads the exponent after 'e'. Saturates, so that sums with it do not overflow.
std::int64_t exponent_of(std::string_view text) noexcept {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
  text.remove_prefix(text.starts_with('+') ? 1 : 0);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec != std::errc()) {
    return text.starts_with('-') ? -kMost : kMost;
  }
  return std::clamp(exponent, -kMost, kMost);
}

/// number  without sign
Decimal decimal_of(std::string_view number) {
  const std::size_t mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits(mantissa.substr(0, point));
  digits += mantissa.substr(std::min(point + 1, mantissa.size()));
  auto exponent = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(digits.size());
  exponent += mark == number.size() ? 0 : exponent_of(number.substr(mark + 1));
  const std::size_t significant = digits.find_last_not_of('0') + 1;
  exponent += static_cast<std::int64_t>(digits.size() - significant);
  digits.resize(significant);
  digits.erase(0, digits.find_first_not_of('0'));
  return {std::move(digits), exponent};
}

constexpr std::size_t kUnitBytes = 6;  // \uXXXX

/// Appends the character of \uXXXX, or of two of them, at the start of `raw`.
/// Returns the number of bytes read, or 0 if it is not a character.
std::size_t append_unicode_escape(std::string& out, std::string_view raw) {
  const auto unit = code_unit(raw.substr(2));
  if (!unit || is_low_surrogate(*unit)) {
    return 0;
  }
  if (!is_high_surrogate(*unit)) {
    append_utf8(out, *unit);
    return kUnitBytes;
  }
  const std::string_view next = raw.substr(kUnitBytes);
  const auto low = next.starts_with("\\u") ? code_unit(next.substr(2)) : std::nullopt;
  if (!low || !is_low_surrogate(*low)) {
    return 0;
  }
  append_utf8(out, 0x10000U + ((*unit & 0x3FFU) << 10 | (*low & 0x3FFU)));
  return 2 * kUnitBytes;
}

/// Appends the character of the escape at the start of `raw`. Returns the number of bytes read, or
/// 0 if the escape is invalid.
std::size_t append_escape(std::string& out, std::string_view raw) {
  if (raw.size() < 2) {
    return 0;
  }
  if (raw[1] == 'u') {
    return append_unicode_escape(out, raw);
  }
  const char plain = short_escape(raw[1]);
  if (plain == 0) {
    return 0;
  }
  out += plain;
  return 2;
}

/// Returns the number of digits at the start of `text`.
std::size_t digits(std::string_view text) noexcept {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) {
    ++count;
  }
  return count;
}

}  // namespace

const char* find_far_mark(const char* at, const char* end) noexcept {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    if (const unsigned found = marks_of_16(at); found != 0) {
      return at + std::countr_zero(found);
    }
  }
#endif
  for (; end - at >= 8; at += 8) {
    const std::uint64_t word = load_word(at);
    const std::uint64_t found = match(word, '"') | match(word, '\\') | match_control(word);
    if (found != 0) {
      return at + std::countr_zero(found) / 8;
    }
  }
  return std::find_if(at, end, is_mark);
}

template <class Real>
const char* read_short_real(const char* at, Real& number, bool& is_stored) noexcept {
  // Powers of ten, and integers up to kExactMax, that are exact.
  constexpr Real kPowers[] = {1e0F, 1e1F, 1e2F, 1e3F, 1e4F, 1e5F, 1e6F, 1e7F, 1e8F, 1e9F, 1e10F};
  constexpr std::uint64_t kExactMax = std::uint64_t{1} << std::numeric_limits<Real>::digits;
  constexpr std::ptrdiff_t kDigitsMax = 19;  // fit in 64 bits
  const bool is_negative = *at == '-';
  at += is_negative ? 1 : 0;
  std::uint64_t digits = 0;
  const auto read_digits = [&] {
    const char* const first = at;
    for (; is_digit(*at); ++at) {
      digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
    }
    return at - first;
  };
  const char first = *at;
  const std::ptrdiff_t whole = read_digits();
  std::ptrdiff_t fraction = 0;
  if (*at == '.') {
    ++at;
    fraction = read_digits();
    if (fraction == 0) {
      return nullptr;
    }
  }
  if (whole == 0 || (whole > 1 && first == '0') || *at == 'e' || *at == 'E') {
    return nullptr;
  }
  is_stored =
      fraction < std::ssize(kPowers) && whole + fraction <= kDigitsMax && digits <= kExactMax;
  if (is_stored) {
    const Real magnitude = static_cast<Real>(digits) / kPowers[fraction];
    number = is_negative ? -magnitude : magnitude;
  }
  return at;
}

template const char* read_short_real(const char* at, float& number, bool& is_stored) noexcept;
template const char* read_short_real(const char* at, double& number, bool& is_stored) noexcept;

std::optional<std::string> unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    out += raw.substr(0, plain);
    raw.remove_prefix(plain);
    const std::size_t escape = raw.empty() ? 0 : append_escape(out, raw);
    if (escape == 0 && !raw.empty()) {
      return std::nullopt;
    }
    raw.remove_prefix(escape);
  }
  return out;
}

// number = [ minus ] int [ frac ] [ exp ]; int = zero / ( digit1-9 *DIGIT )
NumberForm number_form(std::string_view token) noexcept {
  token.remove_prefix(token.starts_with('-') ? 1 : 0);
  const std::size_t whole = digits(token);
  if (whole == 0 || (whole > 1 && token[0] == '0')) {
    return NumberForm::kNone;
  }
  token.remove_prefix(whole);
  if (token.empty()) {
    return NumberForm::kInteger;
  }
  if (token[0] == '.') {
    const std::size_t fraction = digits(token.substr(1));
    if (fraction == 0) {
      return NumberForm::kNone;
    }
    token.remove_prefix(fraction + 1);
  }
  if (token.starts_with('e') || token.starts_with('E')) {
    token.remove_prefix(1);
    token.remove_prefix(token.starts_with('+') || token.starts_with('-') ? 1 : 0);
    const std::size_t exponent = digits(token);
    if (exponent == 0) {
      return NumberForm::kNone;
    }
    token.remove_prefix(exponent);
  }
  return token.empty() ? NumberForm::kReal : NumberForm::kNone;
}

std::optional<std::string> integer_digits(std::string_view token) {
  constexpr std::int64_t kZerosMax = 20;  // with any digit before them, too many for 64 bits
  const bool is_negative = token.starts_with('-');
  const Decimal number = decimal_of(token.substr(is_negative ? 1 : 0));
  if (number.digits.empty()) {
    return "0";
  }
  if (number.exponent < 0) {
    return std::nullopt;
  }
  const auto zeros = static_cast<std::size_t>(std::min(number.exponent, kZerosMax));
  return (is_negative ? "-" : "") + number.digits + std::string(zeros, '0');
}

}  // namespace eider::json::detail
