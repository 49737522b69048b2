#include "eider/core/kinds/times.h"

#include <algorithm>
#include <iterator>

#include "eider/core/base/assert.h"
#include "eider/core/kinds/cursor.h"

namespace eider {

namespace {

using detail::kinds::Cursor;
using detail::kinds::Time;
using detail::kinds::Unit;
using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr std::int64_t kFirstSecond = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr std::int64_t kLastSecond = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr std::size_t kFractionDigitsMax = 9;

std::optional<year_month_day> take_date(Cursor& cursor) noexcept {
  const auto year = cursor.take_digits(4);
  const bool has_month = year && cursor.take('-');
  const auto month = has_month ? cursor.take_digits(2) : std::nullopt;
  const bool has_day = month && cursor.take('-');
  const auto day = has_day ? cursor.take_digits(2) : std::nullopt;
  if (!day) {
    return std::nullopt;
  }
  const year_month_day date(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                            std::chrono::day(*day));
  return date.ok() ? std::optional(date) : std::nullopt;
}

/// After a '.': one to nine digits.
std::optional<std::uint32_t> take_fraction(Cursor& cursor) noexcept {
  const std::string_view digits = cursor.take_all_digits(kFractionDigitsMax);
  if (digits.empty()) {
    return std::nullopt;
  }
  std::uint32_t nanoseconds = 0;
  for (std::size_t i = 0; i < kFractionDigitsMax; ++i) {
    nanoseconds =
        nanoseconds * 10 + static_cast<std::uint32_t>(i < digits.size() ? digits[i] - '0' : 0);
  }
  return nanoseconds;
}

std::optional<std::uint32_t> take_fraction_if_any(Cursor& cursor) noexcept {
  return cursor.take('.') ? take_fraction(cursor) : 0;
}

/// Two digits, at most `max`.
std::optional<unsigned> take_pair(Cursor& cursor, unsigned max) noexcept {
  const auto number = cursor.take_digits(2);
  return number && *number <= max ? number : std::nullopt;
}

/// "14:30", as seconds.
std::optional<std::int64_t> take_hours_and_minutes(Cursor& cursor) noexcept {
  const auto hours = take_pair(cursor, 23);
  const bool goes_on = hours && cursor.take(':');
  const auto minutes = goes_on ? take_pair(cursor, 59) : std::nullopt;
  return minutes ? std::optional<std::int64_t>(*hours * 3600 + *minutes * 60) : std::nullopt;
}

/// After hours, minutes and a ':': "15", "15.25".
std::optional<Time> take_seconds(Cursor& cursor, std::int64_t before) noexcept {
  const auto seconds = take_pair(cursor, 59);
  const auto fraction = seconds ? take_fraction_if_any(cursor) : std::nullopt;
  return fraction ? std::optional<Time>({before + *seconds, *fraction}) : std::nullopt;
}

/// Seconds are optional.
std::optional<Time> take_time_of_day(Cursor& cursor) noexcept {
  const auto before = take_hours_and_minutes(cursor);
  if (!before) {
    return std::nullopt;
  }
  return cursor.take(':') ? take_seconds(cursor, *before) : Time{*before, 0};
}

/// "Z", "+01:00": the difference of the local time from UTC, in seconds.
std::optional<std::int64_t> take_offset(Cursor& cursor) noexcept {
  const char sign = cursor.next();
  if (sign == 'Z' || sign == 'z') {
    return 0;
  }
  if (sign != '+' && sign != '-') {
    return std::nullopt;
  }
  const auto offset = take_hours_and_minutes(cursor);
  return offset && sign == '-' ? std::optional(-*offset) : offset;
}

std::int64_t seconds_of(const year_month_day& date) noexcept {
  return sys_days(date).time_since_epoch().count() * kDaySeconds;
}

void add_date(ShortText& text, const year_month_day& date) noexcept {
  const int year = std::clamp(static_cast<int>(date.year()), 0, 9999);
  text.add_digits(static_cast<unsigned>(year), 4) += '-';
  text.add_digits(static_cast<unsigned>(date.month()), 2) += '-';
  text.add_digits(static_cast<unsigned>(date.day()), 2);
}

/// "14:30:15"
void add_clock(ShortText& text, std::int64_t seconds) noexcept {
  const auto all = static_cast<std::uint64_t>(seconds);
  text.add_digits(all / 3600, 2) += ':';
  text.add_digits(all / 60 % 60, 2) += ':';
  text.add_digits(all % 60, 2);
}

/// `digits` digits, enough for all of `nanoseconds`.
void add_fraction(ShortText& text, std::uint64_t nanoseconds, std::size_t digits) noexcept {
  if (digits == 0) {
    return;
  }
  for (std::size_t i = digits; i < kFractionDigitsMax; ++i) {
    nanoseconds /= 10;
  }
  text += '.';
  text.add_digits(nanoseconds, digits);
}

/// The number of decimal places that represent one unit exactly.
std::size_t digits_of(Unit unit) noexcept {
  std::size_t digits = 0;
  for (std::int64_t parts = 1; parts % unit.denominator != 0; parts *= 10) {
    ++digits;
  }
  return digits;
}

std::size_t digits_of(std::uint32_t nanoseconds) noexcept {
  std::size_t digits = nanoseconds == 0 ? 0 : kFractionDigitsMax;
  for (; digits != 0 && nanoseconds % 10 == 0; nanoseconds /= 10) {
    --digits;
  }
  return digits;
}

/// Without the suffix for the time zone.
ShortText format_date_time(const Time& exact, std::size_t digits) noexcept {
  Time time = exact;
  if (time.seconds < kFirstSecond) {
    time = {kFirstSecond, 0};
  } else if (time.seconds > kLastSecond) {
    time = {kLastSecond, kNanosecondsPerSecond - 1};
  }
  const std::chrono::sys_seconds instant{std::chrono::seconds(time.seconds)};
  const sys_days day = std::chrono::floor<days>(instant);
  ShortText text;
  add_date(text, year_month_day(day));
  text += 'T';
  add_clock(text, (instant - day).count());
  add_fraction(text, time.nanoseconds, digits);
  return text;
}

/// Returns `sum` plus `digits` times `unit_seconds`, or nothing beyond 64 bits.
std::optional<std::int64_t> add_units(std::int64_t sum, std::string_view digits,
                                      std::int64_t unit_seconds) noexcept {
  const auto count = parse_integer<std::int64_t>(digits);
  std::int64_t added = 0;
  if (!count || __builtin_mul_overflow(*count, unit_seconds, &added) ||
      __builtin_add_overflow(sum, added, &sum)) {
    return std::nullopt;
  }
  return sum;
}

/// A part of a duration, in their required order.
struct LengthPart {
  char letter;
  bool is_behind_t;
  std::int64_t seconds;
};
constexpr LengthPart kLengthParts[] = {
    {'W', false, 7 * kDaySeconds},
    {'D', false, kDaySeconds},
    {'H', true, 3600},
    {'M', true, 60},
    {'S', true, 1},
};

const LengthPart* find_part(char letter, bool is_behind_t, std::size_t from) noexcept {
  for (std::size_t i = from; i < std::size(kLengthParts); ++i) {
    if (kLengthParts[i].letter == letter && kLengthParts[i].is_behind_t == is_behind_t) {
      return &kLengthParts[i];
    }
  }
  return nullptr;
}

void add_part(ShortText& text, std::uint64_t count, char letter) noexcept {
  if (count != 0) {
    text.add_number(count) += letter;
  }
}

}  // namespace

namespace detail::kinds {

std::optional<std::int64_t> count_of(const Time& time, Unit unit) noexcept {
  if (unit.denominator == 1) {
    const bool is_whole = time.nanoseconds == 0 && time.seconds % unit.numerator == 0;
    return is_whole ? std::optional(time.seconds / unit.numerator) : std::nullopt;
  }
  const std::int64_t nanoseconds = kNanosecondsPerSecond / unit.denominator;
  if (time.nanoseconds % nanoseconds != 0) {
    return std::nullopt;
  }
  // With 128 bits, because the product can exceed 64 bits although the sum fits: at the first
  // second that 64 bits of nanoseconds reach.
  const __int128 count =
      static_cast<__int128>(time.seconds) * unit.denominator + time.nanoseconds / nanoseconds;
  const auto narrow = static_cast<std::int64_t>(count);
  return narrow == count ? std::optional(narrow) : std::nullopt;
}

Time time_of(std::int64_t count, Unit unit) noexcept {
  if (unit.denominator == 1) {
    std::int64_t seconds = 0;
    if (__builtin_mul_overflow(count, unit.numerator, &seconds)) {
      seconds = count < 0 ? std::numeric_limits<std::int64_t>::min()
                          : std::numeric_limits<std::int64_t>::max();
    }
    return {seconds, 0};
  }
  std::int64_t seconds = count / unit.denominator;
  std::int64_t parts = count % unit.denominator;
  if (parts < 0) {
    --seconds;
    parts += unit.denominator;
  }
  return {seconds, static_cast<std::uint32_t>(parts * (kNanosecondsPerSecond / unit.denominator))};
}

// date-time = full-date "T" full-time; full-time = partial-time time-offset; partial-time =
// time-hour ":" time-minute ":" time-second [time-secfrac] (RFC 3339, section 5.6)
std::optional<Time> parse_instant(std::string_view text) noexcept {
  Cursor cursor(text);
  const auto date = take_date(cursor);
  const bool has_time = date && (cursor.take('T') || cursor.take('t'));
  const auto before = has_time ? take_hours_and_minutes(cursor) : std::nullopt;
  const auto time = before && cursor.take(':') ? take_seconds(cursor, *before) : std::nullopt;
  const auto offset = time ? take_offset(cursor) : std::nullopt;
  if (!offset || !cursor.is_at_end()) {
    return std::nullopt;
  }
  // Near the first and last year, an offset can lead to an instant that has no RFC 3339 text.
  const std::int64_t seconds = seconds_of(*date) + time->seconds - *offset;
  if (seconds < kFirstSecond || seconds > kLastSecond) {
    return std::nullopt;
  }
  return Time{seconds, time->nanoseconds};
}

ShortText format_instant(std::int64_t count, Unit unit) noexcept {
  return format_date_time(time_of(count, unit), digits_of(unit)) += 'Z';
}

std::optional<Time> parse_local(std::string_view text) noexcept {
  Cursor cursor(text);
  const auto date = take_date(cursor);
  const auto time = date && cursor.take('T') ? take_time_of_day(cursor) : std::nullopt;
  if (!time || !cursor.is_at_end()) {
    return std::nullopt;
  }
  return Time{seconds_of(*date) + time->seconds, time->nanoseconds};
}

ShortText format_local(std::int64_t count, Unit unit) noexcept {
  return format_date_time(time_of(count, unit), digits_of(unit));
}

// duration = "P" (dur-date / dur-time / dur-week); dur-time = "T" (dur-hour / dur-minute /
// dur-second) (RFC 3339, appendix A), without years and months. As in ISO 8601, parts may be
// missing between others, and seconds may have a fraction.
std::optional<Time> parse_length(std::string_view text) noexcept {
  Cursor cursor(text);
  if (!cursor.take('P') || cursor.is_at_end()) {
    return std::nullopt;
  }
  Time sum{0, 0};
  bool is_behind_t = false;
  std::size_t next = 0;
  while (!cursor.is_at_end()) {
    if (!is_behind_t && cursor.take('T')) {
      is_behind_t = true;
    }
    const std::string_view digits = cursor.take_all_digits(std::numeric_limits<std::size_t>::max());
    const bool has_fraction = cursor.take('.');
    const auto fraction = has_fraction ? take_fraction(cursor) : 0;
    const LengthPart* const part = find_part(cursor.next(), is_behind_t, next);
    const auto seconds =
        part != nullptr ? add_units(sum.seconds, digits, part->seconds) : std::nullopt;
    if (!seconds || !fraction || (has_fraction && part->letter != 'S')) {
      return std::nullopt;
    }
    sum = {*seconds, *fraction};
    // Weeks cannot be combined with other parts.
    next = part->letter == 'W' ? std::size(kLengthParts)
                               : static_cast<std::size_t>(part - kLengthParts) + 1;
  }
  return sum;
}

ShortText format_length(std::int64_t count, Unit unit) noexcept {
  ShortText text;
  Time time = time_of(count, unit);
  if (time.seconds < 0) {
    text += '-';
    if (time.nanoseconds != 0) {  // -1.25 s is stored as -2 s and 0.75 s
      ++time.seconds;
      time.nanoseconds = static_cast<std::uint32_t>(kNanosecondsPerSecond) - time.nanoseconds;
    }
  }
  const auto whole = static_cast<std::uint64_t>(time.seconds);
  const std::uint64_t seconds = text == std::string_view("-") ? 0 - whole : whole;
  text += 'P';
  add_part(text, seconds / kDaySeconds, 'D');
  const std::uint64_t rest = seconds % kDaySeconds;
  if (rest == 0 && time.nanoseconds == 0 && seconds != 0) {
    return text;
  }
  text += 'T';
  const bool has_seconds = rest % 60 != 0 || time.nanoseconds != 0 || seconds == 0;
  add_part(text, rest / 3600, 'H');
  if (rest >= 3600 && rest / 60 % 60 == 0 && has_seconds) {
    text.add_digits(0, 1) += 'M';  // RFC 3339 does not allow seconds directly after hours
  }
  add_part(text, rest / 60 % 60, 'M');
  if (has_seconds) {
    text.add_number(rest % 60);
    add_fraction(text, time.nanoseconds, digits_of(time.nanoseconds));
    text += 'S';
  }
  return text;
}

}  // namespace detail::kinds

TimeOfDay TimeOfDay::at(std::chrono::nanoseconds since_midnight) noexcept {
  ensure(since_midnight.count() >= 0 && since_midnight < std::chrono::days(1),
         "a time of day is within the day");
  TimeOfDay time;
  time.since_midnight_ = since_midnight;
  return time;
}

std::optional<TimeOfDay> TimeOfDay::parse(std::string_view text) noexcept {
  Cursor cursor(text);
  const auto time = take_time_of_day(cursor);
  if (!time || !cursor.is_at_end()) {
    return std::nullopt;
  }
  return at(std::chrono::seconds(time->seconds) + std::chrono::nanoseconds(time->nanoseconds));
}

ShortText TimeOfDay::text() const noexcept {
  const Time time = detail::kinds::time_of(since_midnight_.count(), {1, kNanosecondsPerSecond});
  ShortText text;
  add_clock(text, time.seconds);
  add_fraction(text, time.nanoseconds, digits_of(time.nanoseconds));
  return text;
}

std::optional<year_month_day> TextFormat<year_month_day>::parse(std::string_view text) noexcept {
  Cursor cursor(text);
  const auto date = take_date(cursor);
  return cursor.is_at_end() ? date : std::nullopt;
}

ShortText TextFormat<year_month_day>::format(const year_month_day& date) noexcept {
  ShortText text;
  add_date(text, date);
  return text;
}

}  // namespace eider
