// Cron expressions: "0 3 * * *", and the next time at which one is due.
// Layering: pure; must not read a clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/web/jobs/time_zone.h"

namespace eider {

/// A cron expression with five fields: minute, hour, day of the month, month, day of the week.
///
/// A field is `*`, or a list of numbers, ranges (`1-5`) and steps (`*/15`, `8-18/2`). Months and
/// days of the week may have English names (`jan`, `mon-fri`); Sunday is 0 or 7. If both the day of
/// the month and the day of the week are restricted, one match is enough. `@hourly`, `@daily`,
/// `@weekly`, `@monthly` and `@yearly` are short forms.
class Cron {
 public:
  /// errors  the text names the field, and the fix
  [[nodiscard]] static Result<Cron, std::string> read(std::string_view text);

  /// Returns the first time after `time` at which the expression is due in that zone.
  ///
  /// A local time that occurs twice counts once, at its first occurrence. A local time that the
  /// clock skips is due when the clock is set forward; several of them are due once. Only if the
  /// hour is `*`, each hour that passes counts.
  ///
  /// returns  nothing if it is not due within eight years, as for February 30
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next(std::chrono::sys_seconds time,
                                                             const TimeZone& zone) const;

 private:
  [[nodiscard]] bool has_day(std::chrono::local_days day) const;
  [[nodiscard]] std::optional<LocalSeconds> next_local(LocalSeconds from) const;
  [[nodiscard]] std::optional<std::chrono::sys_seconds> next_elapsed(std::chrono::sys_seconds time,
                                                                     const TimeZone& zone) const;

  // A bit for each value.
  std::uint64_t minutes_ = 0;
  std::uint64_t hours_ = 0;
  std::uint64_t days_ = 0;
  std::uint64_t months_ = 0;
  std::uint64_t weekdays_ = 0;
  bool has_all_hours_ = false;
  bool has_all_days_ = false;
  bool has_all_weekdays_ = false;
};

}  // namespace eider
