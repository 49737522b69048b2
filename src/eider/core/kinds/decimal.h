// Decimal: exact decimal numbers, such as prices.
// Layering: must not calculate: that is for the application, which knows how to round.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/core/kinds/short_text.h"
#include "eider/core/reflect/text_kind.h"

namespace eider {

/// An exact decimal number, unscaled() / 10^scale(): "12.50" is 1250 with a scale of 2, and keeps
/// its last zero.
class Decimal {
 public:
  static constexpr std::size_t kDigitsMax = 18;

  Decimal() = default;

  /// Returns nothing beyond kDigitsMax digits or a scale of kDigitsMax.
  [[nodiscard]] static std::optional<Decimal> from(std::int64_t unscaled,
                                                   std::uint8_t scale) noexcept;
  /// Reads digits with an optional leading '-' and an optional '.': no '+', no exponent, no leading
  /// zeros, at most kDigitsMax digits.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text) noexcept;

  [[nodiscard]] constexpr std::int64_t unscaled() const noexcept { return unscaled_; }
  [[nodiscard]] constexpr std::uint8_t scale() const noexcept { return scale_; }
  /// Returns the same number with that scale: 12.5 with a scale of 2 is 12.50. Returns nothing if
  /// digits would be lost, or there would be too many.
  [[nodiscard]] std::optional<Decimal> with_scale(std::uint8_t scale) const noexcept;
  [[nodiscard]] ShortText text() const noexcept;

  /// Compares by value: 1.5 equals 1.50.
  friend std::strong_ordering operator<=>(const Decimal& left, const Decimal& right) noexcept;
  friend bool operator==(const Decimal& left, const Decimal& right) noexcept {
    return (left <=> right) == 0;
  }

 private:
  constexpr Decimal(std::int64_t unscaled, std::uint8_t scale) noexcept
      : unscaled_(unscaled), scale_(scale) {}

  std::int64_t unscaled_ = 0;
  std::uint8_t scale_ = 0;
};

/// The text of a Decimal. In JSON, only a string: most clients read a number as a double, which
/// would be rounded.
template <>
struct TextFormat<Decimal> {
  static std::optional<Decimal> parse(std::string_view text) noexcept {
    return Decimal::parse(text);
  }
  static ShortText format(const Decimal& decimal) noexcept { return decimal.text(); }
  static constexpr TextSchema kSchema = {
      .requirement = "must be a string with a decimal number of at most 18 digits, such as 12.50",
      .format = "decimal",
      .pattern = R"(^-?(0(\.[0-9]{1,18})?|(?=([0-9]\.?){1,18}$)[1-9][0-9]*(\.[0-9]+)?)$)",
      .example = "12.50",
      .bytes_max = 21};
};

}  // namespace eider
