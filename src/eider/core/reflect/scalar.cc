#include "eider/core/reflect/scalar.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

namespace eider::reflect {

namespace {

template <class T>
T load(const void* value) noexcept {
  T number;
  std::memcpy(&number, value, sizeof number);
  return number;
}

template <class T, class From>
bool try_store(void* value, From number) noexcept {
  if (!std::in_range<T>(number)) {
    return false;
  }
  const T narrowed = static_cast<T>(number);
  std::memcpy(value, &narrowed, sizeof narrowed);
  return true;
}

bool is_signed(const Type& type) noexcept {
  return type.kind == Kind::kEnum ? type.enumeration().is_signed : type.kind == Kind::kSigned;
}

/// Calls `use` with a zero of the signed integer type of that size.
template <class Use>
auto with_signed(const Type& type, Use use) noexcept {
  switch (type.bytes) {
    case 1:
      return use(std::int8_t{});
    case 2:
      return use(std::int16_t{});
    case 4:
      return use(std::int32_t{});
    default:
      return use(std::int64_t{});
  }
}

template <class Use>
auto with_unsigned(const Type& type, Use use) noexcept {
  switch (type.bytes) {
    case 1:
      return use(std::uint8_t{});
    case 2:
      return use(std::uint16_t{});
    case 4:
      return use(std::uint32_t{});
    default:
      return use(std::uint64_t{});
  }
}

template <class From>
bool try_store_integer(const Type& type, void* value, From number) noexcept {
  const auto store = [=]<class T>(T) noexcept { return try_store<T>(value, number); };
  return is_signed(type) ? with_signed(type, store) : with_unsigned(type, store);
}

/// For a number that from_chars reports as out of range: whether it is too small, and not too
/// large. The decimal exponent, counted from the first nonzero digit, decides.
bool is_tiny(std::string_view text) noexcept {
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  const std::int64_t exponent = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
  if (mark == text.npos) {
    return exponent < 0;
  }
  const bool is_negative = text[mark + 1] == '-';
  std::string_view power = text.substr(mark + 1);
  power.remove_prefix(is_negative || power.starts_with('+') ? 1 : 0);
  std::int64_t magnitude = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), magnitude).ec != std::errc()) {
    return is_negative;
  }
  return exponent < (is_negative ? magnitude : -magnitude);  // without a sum, which could overflow
}

template <class T>
Parsed parse_integer_as(void* value, std::string_view text) noexcept {
  const bool is_below = std::is_unsigned_v<T> && text.size() > 1 && text[0] == '-';
  text.remove_prefix(is_below ? 1 : 0);
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::invalid_argument || end != text.data() + text.size() ||
      (is_below && text[0] == '-')) {
    return Parsed::kNotANumber;
  }
  if (error != std::errc() || (is_below && number != 0)) {
    return Parsed::kOutOfRange;
  }
  std::memcpy(value, &number, sizeof number);
  return Parsed::kDone;
}

template <class T>
Parsed parse_real_as(void* value, std::string_view text) noexcept {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::size_t digit = text.starts_with('-') ? 1 : 0;
  const bool is_word = digit < text.size() && text[digit] != '.' &&
                       (text[digit] < '0' || text[digit] > '9');  // inf, nan
  if (error == std::errc::invalid_argument || end != text.data() + text.size() || is_word) {
    return Parsed::kNotANumber;
  }
  if (error != std::errc()) {
    if (!is_tiny(text)) {
      return Parsed::kOutOfRange;
    }
    number = digit == 1 ? T{-0.0} : T{0.0};
  }
  std::memcpy(value, &number, sizeof number);
  return Parsed::kDone;
}

}  // namespace

std::int64_t load_signed(const Type& type, const void* value) noexcept {
  return with_signed(type, [=]<class T>(T) noexcept { return std::int64_t{load<T>(value)}; });
}

std::uint64_t load_unsigned(const Type& type, const void* value) noexcept {
  return with_unsigned(type, [=]<class T>(T) noexcept { return std::uint64_t{load<T>(value)}; });
}

double load_real(const Type& type, const void* value) noexcept {
  return type.bytes == sizeof(float) ? static_cast<double>(load<float>(value))
                                     : load<double>(value);
}

std::int64_t load_enum(const Type& type, const void* value) noexcept {
  return is_signed(type) ? load_signed(type, value)
                         : static_cast<std::int64_t>(load_unsigned(type, value));
}

bool try_store_signed(const Type& type, void* value, std::int64_t number) noexcept {
  return try_store_integer(type, value, number);
}

bool try_store_unsigned(const Type& type, void* value, std::uint64_t number) noexcept {
  return try_store_integer(type, value, number);
}

Parsed parse_integer(const Type& type, void* value, std::string_view text) noexcept {
  const auto parse = [=]<class T>(T) noexcept { return parse_integer_as<T>(value, text); };
  return is_signed(type) ? with_signed(type, parse) : with_unsigned(type, parse);
}

Parsed parse_real(const Type& type, void* value, std::string_view text) noexcept {
  return type.bytes == sizeof(float) ? parse_real_as<float>(value, text)
                                     : parse_real_as<double>(value, text);
}

}  // namespace eider::reflect
