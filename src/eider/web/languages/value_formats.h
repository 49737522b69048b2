// Numbers, amounts, dates and times in the format of a language.
// Layering: must not know how a language is chosen.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace eider {

/// Length of a date or time, for example in German: `23.11.26`, `23.11.2026`, `23. November 2026`,
/// `Montag, 23. November 2026`.
enum class TimeLength : std::uint8_t { brief, medium, verbose, full };

/// decimals_min, decimals_max  decimal places, at most 30
/// is_compact                  "1.2K", "1,2 Mio."; the decimal places have no effect
struct NumberForm {
  int decimals_min = 0;
  int decimals_max = 3;
  bool is_compact = false;
};

/// The functions of Translator and Locale that format values, in the language of `Self`. They are
/// defined in the component `locale`, which links ICU: a program that uses them without it does not
/// link.
template <class Self>
class ValueFormats {
 public:
  /// A moment in whole milliseconds; wall_time() converts to it. For system_clock::now(), use
  /// std::chrono::floor<std::chrono::milliseconds>.
  using Moment = std::chrono::sys_time<std::chrono::milliseconds>;

  [[nodiscard]] std::string number(double value, NumberForm form = {}) const;
  template <std::integral T>
    requires(!std::same_as<T, bool> && sizeof(T) <= sizeof(std::int64_t))
  [[nodiscard]] std::string number(T value, NumberForm form = {}) const {
    return decimal(std::to_string(value), form);
  }
  /// Formats exact decimal digits, for example of a Decimal: "1234567.10". Throws a Failure if the
  /// text is not a number.
  [[nodiscard]] std::string decimal(std::string_view digits, NumberForm form = {}) const;
  /// Formats a share as a percentage: 0.256 is 26 %.
  [[nodiscard]] std::string percent(double share, int decimals = 0) const;
  /// Formats an amount of exact decimal digits. Throws a Failure as above.
  ///
  /// currency  three uppercase letters (ISO 4217): "CHF"; also determines the decimal places
  [[nodiscard]] std::string money(std::string_view digits, std::string_view currency) const;

  [[nodiscard]] std::string date(Moment when, TimeLength length = TimeLength::medium) const;
  /// A day, which is the same in all zones.
  [[nodiscard]] std::string date(std::chrono::year_month_day day,
                                 TimeLength length = TimeLength::medium) const;
  [[nodiscard]] std::string time(Moment when, TimeLength length = TimeLength::brief) const;
  /// length  of the date; the time is `brief`
  [[nodiscard]] std::string date_time(Moment when, TimeLength length = TimeLength::medium) const;
  /// Returns "3 minutes ago" or "in 2 days", in the largest unit that is at least one.
  [[nodiscard]] std::string relative(Moment when, Moment now) const;

 private:
  friend Self;
  ValueFormats() = default;
};

}  // namespace eider
