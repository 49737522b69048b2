#include "eider/core/kinds/decimal.h"

#include "eider/core/kinds/cursor.h"

namespace eider {

namespace {

using Wide = __int128;  // two numbers of 18 digits multiplied

constexpr std::int64_t kUnscaledMax = 999'999'999'999'999'999;
static_assert(Decimal::kDigitsMax == 18);

Wide power_of_ten(unsigned exponent) noexcept {
  Wide power = 1;
  for (; exponent != 0; --exponent) {
    power *= 10;
  }
  return power;
}

std::int64_t append_digits(std::int64_t number, std::string_view digits) noexcept {
  for (const char digit : digits) {
    number = number * 10 + (digit - '0');
  }
  return number;
}

}  // namespace

std::optional<Decimal> Decimal::from(std::int64_t unscaled, std::uint8_t scale) noexcept {
  if (unscaled > kUnscaledMax || unscaled < -kUnscaledMax || scale > kDigitsMax) {
    return std::nullopt;
  }
  return Decimal(unscaled, scale);
}

std::optional<Decimal> Decimal::parse(std::string_view text) noexcept {
  detail::kinds::Cursor cursor(text);
  const bool is_negative = cursor.take('-');
  const std::string_view whole = cursor.take_all_digits(kDigitsMax);
  const bool has_point = cursor.take('.');
  const std::string_view fraction =
      has_point ? cursor.take_all_digits(kDigitsMax) : std::string_view();
  const std::size_t leading_zeros = whole == "0" ? 1 : 0;  // "0.5" has one digit
  const bool is_spelled_well = !whole.empty() && (whole[0] != '0' || leading_zeros == 1) &&
                               has_point == !fraction.empty() && cursor.is_at_end();
  if (!is_spelled_well || whole.size() - leading_zeros + fraction.size() > kDigitsMax) {
    return std::nullopt;
  }
  const std::int64_t number = append_digits(append_digits(0, whole), fraction);
  return Decimal(is_negative ? -number : number, static_cast<std::uint8_t>(fraction.size()));
}

std::optional<Decimal> Decimal::with_scale(std::uint8_t scale) const noexcept {
  if (scale > kDigitsMax) {
    return std::nullopt;
  }
  if (scale < scale_) {
    const auto factor =
        static_cast<std::int64_t>(power_of_ten(static_cast<unsigned>(scale_ - scale)));
    return unscaled_ % factor == 0 ? from(unscaled_ / factor, scale) : std::nullopt;
  }
  const Wide wide = unscaled_ * power_of_ten(static_cast<unsigned>(scale - scale_));
  if (wide > kUnscaledMax || wide < -kUnscaledMax) {
    return std::nullopt;
  }
  return from(static_cast<std::int64_t>(wide), scale);
}

ShortText Decimal::text() const noexcept {
  ShortText text;
  if (unscaled_ < 0) {
    text += '-';
  }
  const auto magnitude = static_cast<std::uint64_t>(unscaled_ < 0 ? -unscaled_ : unscaled_);
  const auto one = static_cast<std::uint64_t>(power_of_ten(scale_));
  text.add_number(magnitude / one);
  if (scale_ != 0) {
    text += '.';
    text.add_digits(magnitude % one, scale_);
  }
  return text;
}

std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) noexcept {
  const Wide one = left.unscaled_ * power_of_ten(right.scale_);
  const Wide other = right.unscaled_ * power_of_ten(left.scale_);
  return one <=> other;
}

}  // namespace eider
