// Dates, times of day, instants and durations as members, path parameters and columns.
// Layering: must not know time zones: an instant is written in UTC.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/kinds/short_text.h"
#include "eider/core/reflect/text_kind.h"

namespace eider {

/// A time of day without a date and time zone, as `<input type="time">` sends it.
class TimeOfDay {
 public:
  TimeOfDay() = default;  // midnight

  /// Pre: 0 <= since_midnight < 24 h.
  static TimeOfDay at(std::chrono::nanoseconds since_midnight) noexcept;
  /// Reads "14:30", "14:30:15", "14:30:15.25", up to nanoseconds.
  [[nodiscard]] static std::optional<TimeOfDay> parse(std::string_view text) noexcept;

  [[nodiscard]] constexpr std::chrono::nanoseconds since_midnight() const noexcept {
    return since_midnight_;
  }
  /// Returns "14:30:00", with as many digits of the second as needed.
  [[nodiscard]] ShortText text() const noexcept;

  friend constexpr auto operator<=>(const TimeOfDay& left, const TimeOfDay& right) = default;

 private:
  std::chrono::nanoseconds since_midnight_{0};
};

template <>
struct TextFormat<TimeOfDay> {
  static std::optional<TimeOfDay> parse(std::string_view text) noexcept {
    return TimeOfDay::parse(text);
  }
  static ShortText format(const TimeOfDay& time) noexcept { return time.text(); }
  static constexpr TextSchema kSchema = {
      .requirement = "must be a time of day, such as 14:30 or 14:30:15",
      .format = "time-of-day",
      .pattern = R"(^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?$)",
      .example = "14:30:00",
      .bytes_max = 18};
};

/// A date (full-date of RFC 3339): 2026-11-22, a valid day of the years 0000 to 9999. An invalid
/// date, such as `year_month_day{}`, is written by its numbers and cannot be read.
template <>
struct TextFormat<std::chrono::year_month_day> {
  static std::optional<std::chrono::year_month_day> parse(std::string_view text) noexcept;
  static ShortText format(const std::chrono::year_month_day& date) noexcept;
  static constexpr TextSchema kSchema = {.requirement = "must be a date, such as 2026-11-22",
                                         .format = "date",
                                         .example = "2026-11-22",
                                         .bytes_max = 10};
};

namespace detail::kinds {

/// seconds + nanoseconds with 0 <= nanoseconds < 1e9, which represents every unit exactly.
struct Time {
  std::int64_t seconds;
  std::uint32_t nanoseconds;
};

/// A unit of time: numerator / denominator seconds, one of which is 1.
struct Unit {
  std::int64_t numerator;
  std::int64_t denominator;
};

/// Durations in whole seconds, or in a decimal fraction of a second.
template <class Rep, class Period>
concept Told = std::integral<Rep> &&
               (Period::den == 1 || (Period::num == 1 && 1'000'000'000 % Period::den == 0));

/// Returns the time as a count of the unit, or nothing if it is not a whole number or exceeds 64
/// bits.
[[nodiscard]] std::optional<std::int64_t> count_of(const Time& time, Unit unit) noexcept;
/// Converts a count to a time; saturates at 64 bits of seconds.
[[nodiscard]] Time time_of(std::int64_t count, Unit unit) noexcept;

[[nodiscard]] std::optional<Time> parse_instant(std::string_view text) noexcept;
[[nodiscard]] ShortText format_instant(std::int64_t count, Unit unit) noexcept;
[[nodiscard]] std::optional<Time> parse_local(std::string_view text) noexcept;
[[nodiscard]] ShortText format_local(std::int64_t count, Unit unit) noexcept;
[[nodiscard]] std::optional<Time> parse_length(std::string_view text) noexcept;
[[nodiscard]] ShortText format_length(std::int64_t count, Unit unit) noexcept;

template <class Rep, class Period>
struct Units {
  static constexpr Unit kUnit = {Period::num, Period::den};

  template <class T>
  static std::optional<T> read(std::optional<Time> time) noexcept {
    const auto count = time ? count_of(*time, kUnit) : std::nullopt;
    if (!count || !std::in_range<Rep>(*count)) {
      return std::nullopt;
    }
    return T(std::chrono::duration<Rep, Period>(static_cast<Rep>(*count)));
  }
  /// Saturates a count beyond 64 bits; the text would be limited anyway.
  static std::int64_t count(std::chrono::duration<Rep, Period> length) noexcept {
    return std::in_range<std::int64_t>(length.count()) ? static_cast<std::int64_t>(length.count())
                                                       : std::numeric_limits<std::int64_t>::max();
  }
};

}  // namespace detail::kinds

/// An instant (date-time of RFC 3339): 2026-11-22T18:05:00.250Z. Any offset can be read; it is
/// written in UTC with the digits of its unit. More digits than the unit has are an error, never
/// rounded, and so are leap seconds, which the system clock does not count. Values beyond the years
/// 0000 to 9999 are written as the first or last instant of these years.
template <class Rep, class Period>
  requires detail::kinds::Told<Rep, Period>
struct TextFormat<std::chrono::sys_time<std::chrono::duration<Rep, Period>>> {
  using Instant = std::chrono::sys_time<std::chrono::duration<Rep, Period>>;
  using Units = detail::kinds::Units<Rep, Period>;

  static std::optional<Instant> parse(std::string_view text) noexcept {
    return Units::template read<Instant>(detail::kinds::parse_instant(text));
  }
  static ShortText format(const Instant& instant) noexcept {
    return detail::kinds::format_instant(Units::count(instant.time_since_epoch()), Units::kUnit);
  }
  static constexpr TextSchema kSchema = {
      .requirement = "must be a date and time with an offset, such as 2026-11-22T18:05:00Z",
      .format = "date-time",
      .example = "2026-11-22T18:05:00Z",
      .bytes_max = 35};
};

/// A date and time without an offset, as `<input type="datetime-local">` sends it, which omits :00
/// seconds.
template <class Rep, class Period>
  requires detail::kinds::Told<Rep, Period>
struct TextFormat<std::chrono::local_time<std::chrono::duration<Rep, Period>>> {
  using Local = std::chrono::local_time<std::chrono::duration<Rep, Period>>;
  using Units = detail::kinds::Units<Rep, Period>;

  static std::optional<Local> parse(std::string_view text) noexcept {
    return Units::template read<Local>(detail::kinds::parse_local(text));
  }
  static ShortText format(const Local& local) noexcept {
    return detail::kinds::format_local(Units::count(local.time_since_epoch()), Units::kUnit);
  }
  static constexpr TextSchema kSchema = {
      .requirement = "must be a date and time without an offset, such as 2026-11-22T18:05",
      .format = "local-date-time",
      .pattern = R"(^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?$)",
      .example = "2026-11-22T18:05:00",
      .bytes_max = 29};
};

/// A duration of fixed length (ISO 8601): PT1H30M, P3D, P2W, PT0.25S; no months and years. A
/// negative duration is written with a leading '-', and cannot be read.
template <class Rep, class Period>
  requires detail::kinds::Told<Rep, Period>
struct TextFormat<std::chrono::duration<Rep, Period>> {
  using Length = std::chrono::duration<Rep, Period>;
  using Units = detail::kinds::Units<Rep, Period>;

  static std::optional<Length> parse(std::string_view text) noexcept {
    return Units::template read<Length>(detail::kinds::parse_length(text));
  }
  static ShortText format(const Length& length) noexcept {
    return detail::kinds::format_length(Units::count(length), Units::kUnit);
  }
  static constexpr TextSchema kSchema = {
      .requirement = "must be a duration, such as PT1H30M or P3D",
      .format = Period::den == 1 ? "duration" : "precise-duration",
      .pattern =
          R"(^P(?=.)([0-9]+W|([0-9]+D)?(T(?=.)([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]{1,9})?S)?)?)$)",
      .example = "PT1H30M",
      .bytes_max = 48};
};

/// Returns the present time in whole seconds: "2026-11-22T18:05:00Z".
[[nodiscard]] inline std::string now_text() {
  using std::chrono::floor;
  using std::chrono::seconds;
  return std::string(TextFormat<std::chrono::sys_seconds>::format(
      floor<seconds>(std::chrono::system_clock::now())));
}

}  // namespace eider
