#include "eider/web/jobs/cron.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "eider/core/base/text.h"

namespace eider {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::local_days;
using std::chrono::minutes;
using std::chrono::sys_seconds;

constexpr std::size_t kTextBytesMax = 200;
constexpr days kSearched{8 * 366};

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays{"sun", "mon", "tue", "wed",
                                                    "thu", "fri", "sat"};

struct Field {
  std::string_view name;
  int min;
  int max;
  std::span<const std::string_view> names{};
};

constexpr std::array kFields{Field{"minute", 0, 59}, Field{"hour", 0, 23},
                             Field{"day of the month", 1, 31}, Field{"month", 1, 12, kMonths},
                             Field{"day of the week", 0, 7, kWeekdays}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kShortForms{
    {{"@hourly", "0 * * * *"},
     {"@daily", "0 0 * * *"},
     {"@midnight", "0 0 * * *"},
     {"@weekly", "0 0 * * 0"},
     {"@monthly", "0 0 1 * *"},
     {"@yearly", "0 0 1 1 *"},
     {"@annually", "0 0 1 1 *"}}};

std::vector<std::string_view> pieces_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return pieces;
    }
    text.remove_prefix(end + 1);
  }
}

std::optional<int> number_of(std::string_view text) {
  int value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9' || value > 999) {
      return std::nullopt;
    }
    value = value * 10 + (digit - '0');
  }
  return text.empty() ? std::nullopt : std::optional(value);
}

std::optional<int> value_of(std::string_view text, const Field& field) {
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (equals_ignoring_case(text, field.names[i])) {
      return static_cast<int>(i) + field.min;
    }
  }
  const auto number = number_of(text);
  return number && *number >= field.min && *number <= field.max ? number : std::nullopt;
}

/// Reads "5", "1-5", "*/15" or "8-18/2"; returns nothing for other texts.
std::optional<std::uint64_t> bits_of(std::string_view text, const Field& field) {
  const std::vector<std::string_view> parts = pieces_of(text, "/");
  const auto step = parts.size() == 2 ? number_of(parts[1]) : std::optional(1);
  if (parts.size() > 2 || !step || *step == 0) {
    return std::nullopt;
  }
  int first = field.min;
  int last = field.max;
  if (parts[0] != "*") {
    const std::vector<std::string_view> ends = pieces_of(parts[0], "-");
    const auto begin = value_of(ends[0], field);
    const auto end = ends.size() == 2 ? value_of(ends[1], field) : begin;
    if (ends.size() > 2 || !begin || !end || *begin > *end) {
      return std::nullopt;
    }
    first = *begin;
    last = ends.size() == 1 && parts.size() == 2 ? field.max : *end;
  }
  std::uint64_t bits = 0;
  for (int value = first; value <= last; value += *step) {
    bits |= std::uint64_t{1} << static_cast<unsigned>(value);
  }
  return bits;
}

bool has(std::uint64_t bits, unsigned value) {
  return (bits >> value & 1U) != 0;
}

}  // namespace

Result<Cron, std::string> Cron::read(std::string_view text) {
  const std::string whole =
      "The cron expression \"" + std::string(text.substr(0, kTextBytesMax)) + "\"";
  for (const auto& [name, meaning] : kShortForms) {
    text = equals_ignoring_case(text, name) ? meaning : text;
  }
  std::vector<std::string_view> fields;
  for (const std::string_view piece : pieces_of(text.substr(0, kTextBytesMax), " \t")) {
    if (!piece.empty()) {
      fields.push_back(piece);
    }
  }
  if (fields.size() != kFields.size() || text.size() > kTextBytesMax) {
    return std::unexpected(whole +
                           " needs five fields: minute, hour, day of the month, month, day of the "
                           "week. Example: \"0 3 * * *\", each day at 3:00.");
  }
  std::array<std::uint64_t, kFields.size()> bits{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    for (const std::string_view piece : pieces_of(fields[i], ",")) {
      const auto some = bits_of(piece, kFields[i]);
      if (!some) {
        return std::unexpected(whole + " has an invalid " + std::string(kFields[i].name) + " \"" +
                               std::string(piece) + "\". Use *, or numbers from " +
                               std::to_string(kFields[i].min) + " to " +
                               std::to_string(kFields[i].max) + ", as in 5, 1-5, */15 or 1,2.");
      }
      bits[i] |= *some;
    }
  }
  Cron cron;
  cron.minutes_ = bits[0];
  cron.hours_ = bits[1];
  cron.days_ = bits[2];
  cron.months_ = bits[3];
  cron.weekdays_ = bits[4] | (has(bits[4], 7) ? 1U : 0U);
  cron.has_all_hours_ = fields[1] == "*";
  cron.has_all_days_ = fields[2].starts_with('*');
  cron.has_all_weekdays_ = fields[4].starts_with('*');
  if (!cron.next(sys_seconds(), TimeZone())) {
    return std::unexpected(whole + " names a day that does not exist.");
  }
  return cron;
}

// Like cron: if both days are restricted, one match is enough.
bool Cron::has_day(local_days day) const {
  const std::chrono::year_month_day date(day);
  const bool is_day = has(days_, static_cast<unsigned>(date.day()));
  const bool is_weekday = has(weekdays_, std::chrono::weekday(day).c_encoding());
  const bool is_either = !has_all_days_ && !has_all_weekdays_;
  return has(months_, static_cast<unsigned>(date.month())) &&
         (is_either ? is_day || is_weekday : is_day && is_weekday);
}

/// Returns the first local time at or after `from`.
std::optional<LocalSeconds> Cron::next_local(LocalSeconds from) const {
  const LocalSeconds start = std::chrono::ceil<minutes>(from);
  const local_days first_day = std::chrono::floor<days>(start);
  for (local_days day = first_day; day <= first_day + kSearched; day += days(1)) {
    if (!has_day(day)) {
      continue;
    }
    const auto since_midnight =
        std::chrono::duration_cast<minutes>(day == first_day ? start - day : minutes(0));
    for (int minute = static_cast<int>(since_midnight.count()); minute < 24 * 60; ++minute) {
      if (!has(hours_, static_cast<unsigned>(minute / 60))) {
        minute += 59 - minute % 60;
      } else if (has(minutes_, static_cast<unsigned>(minute % 60))) {
        return LocalSeconds(day) + minutes(minute);
      }
    }
  }
  return std::nullopt;
}

std::optional<sys_seconds> Cron::next(sys_seconds time, const TimeZone& zone) const {
  if (has_all_hours_) {
    return next_elapsed(time, zone);
  }
  auto local = next_local(zone.local(time) + std::chrono::seconds(1));
  while (local && zone.first(*local) <= time) {
    local = next_local(*local + std::chrono::seconds(1));
  }
  return local ? std::optional(zone.first(*local)) : std::nullopt;
}

std::optional<sys_seconds> Cron::next_elapsed(sys_seconds time, const TimeZone& zone) const {
  const sys_seconds end = time + kSearched;
  sys_seconds from = time + std::chrono::seconds(1);
  while (from < end) {
    const TimeZone::Period period = zone.at(from);
    const auto local = next_local(LocalSeconds(from.time_since_epoch() + period.offset));
    if (!local) {
      return std::nullopt;
    }
    const sys_seconds found(local->time_since_epoch() - period.offset);
    if (found < period.end) {
      return found;
    }
    from = period.end;
  }
  return std::nullopt;
}

}  // namespace eider
