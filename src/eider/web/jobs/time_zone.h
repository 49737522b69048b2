// A time zone of the IANA database: offsets of the past and of the future, from a TZif file.
// Layering: must not read the environment, or the clock.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// Local time: seconds since 1970-01-01 00:00 as a wall clock shows it.
using LocalSeconds = std::chrono::local_seconds;

namespace detail::jobs {

/// A rule of a POSIX TZ text: "M3.5.0/2", the last Sunday of March at 2:00.
struct ZoneRule {
  enum class Kind : std::uint8_t { month_week_day, day_of_year, julian_day };
  Kind kind = Kind::month_week_day;
  int month = 0;
  int week = 0;
  int day = 0;
  std::int64_t seconds = 7200;  // from 0:00 of that day, by the local time before the change
};

/// A POSIX TZ text: "CET-1CEST,M3.5.0,M10.5.0/3". Offsets are seconds to add to UTC.
struct ZoneRules {
  std::int64_t standard = 0;
  std::int64_t summer = 0;
  bool has_summer = false;
  ZoneRule begin;
  ZoneRule end;
};

/// source  POSIX, section 8.3, with the extensions of RFC 8536, section 3.3.1
[[nodiscard]] std::optional<ZoneRules> read_zone_rules(std::string_view text);

}  // namespace detail::jobs

class TimeZone {
 public:
  /// A time during which the offset is the same.
  struct Period {
    std::chrono::sys_seconds begin;
    std::chrono::sys_seconds end;
    std::chrono::seconds offset;
  };

  /// UTC.
  TimeZone() = default;
  /// Reads a zone of the system, from $TZDIR or /usr/share/zoneinfo.
  ///
  /// name    "Europe/Berlin"; "UTC" needs no file
  /// errors  the text names the zone
  [[nodiscard]] static Result<TimeZone, std::string> find(std::string_view name);
  /// Reads a TZif file of version 2 or later (RFC 8536).
  [[nodiscard]] static std::optional<TimeZone> read(std::string_view bytes);

  [[nodiscard]] Period at(std::chrono::sys_seconds time) const;
  /// Returns when a wall clock first shows `local`; if it never does, because it was set forward,
  /// the time of that change.
  [[nodiscard]] std::chrono::sys_seconds first(LocalSeconds local) const;
  [[nodiscard]] LocalSeconds local(std::chrono::sys_seconds time) const {
    return LocalSeconds(time.time_since_epoch() + at(time).offset);
  }

 private:
  struct Change {
    std::int64_t at;
    std::int64_t offset;
  };
  [[nodiscard]] Period by_rules(std::int64_t time, std::int64_t from) const;

  std::int64_t first_offset_ = 0;  // before the first change
  std::vector<Change> changes_;
  std::optional<detail::jobs::ZoneRules> rules_;  // after the last one
};

}  // namespace eider
