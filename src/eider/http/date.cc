#include "eider/http/date.h"

#include <algorithm>
#include <cstring>

#include "eider/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::int64_t kSecondsPerDay = 86400;
constexpr std::int64_t kFirstSecond = -62167219200;  // 0000-01-01 00:00:00
constexpr std::int64_t kLastSecond = 253402300799;   // 9999-12-31 23:59:59
constexpr std::int64_t kThursday = 4;                // the day of 1970-01-01

struct CivilDate {
  std::int64_t year;
  int month;  // 1 to 12
  int day;    // 1 to 31
};

struct ClockTime {
  int hour;
  int minute;
  int second;
};

// Both conversions count years from March, so that the leap day is the last one, in eras of 400
// years that have 146,097 days each. Day 719,468 of that count is 1970-01-01.
constexpr std::int64_t kDaysPerEra = 146097;
constexpr std::int64_t kEpochDay = 719468;

constexpr std::int64_t floor_divide(std::int64_t value, std::int64_t by) noexcept {
  return value >= 0 ? value / by : (value - by + 1) / by;
}

constexpr std::int64_t to_days(const CivilDate& date) noexcept {
  const std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
  const std::int64_t era = floor_divide(year, 400);
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = (date.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + date.day - 1;
  const std::int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kEpochDay;
}

constexpr CivilDate to_civil(std::int64_t days) noexcept {
  const std::int64_t from_march = days + kEpochDay;
  const std::int64_t era = floor_divide(from_march, kDaysPerEra);
  const std::int64_t day_of_era = from_march - era * kDaysPerEra;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const auto month_from_march = static_cast<int>((5 * day_of_year + 2) / 153);
  const auto day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const int month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month, day};
}

static_assert(to_days({1970, 1, 1}) == 0 && to_days({2000, 2, 29}) == 11016);
static_assert(to_civil(11016).month == 2 && to_civil(11016).day == 29);

void put_two_digits(char* at, int value) noexcept {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
}

/// The number that fills `text`; -1 when a byte is no digit.
int read_digits(std::string_view text) noexcept {
  int value = 0;
  for (const char byte : text) {
    if (!is_digit(byte)) {
      return -1;
    }
    value = value * 10 + (byte - '0');
  }
  return value;
}

/// 1 to 12, or 0 when `name` is no month.
int read_month(std::string_view name) noexcept {
  for (std::size_t index = 0; index < 12; ++index) {
    if (kMonths.substr(index * 3, 3) == name) {
      return static_cast<int>(index) + 1;
    }
  }
  return 0;
}

bool is_day_name(std::string_view name) noexcept {
  for (std::size_t index = 0; index < 7; ++index) {
    if (kDays.substr(index * 3, 3) == name) {
      return true;
    }
  }
  return false;
}

/// time-of-day: hour ":" minute ":" second, where 60 is a leap second.
std::optional<ClockTime> read_clock(std::string_view text) noexcept {
  const ClockTime time{read_digits(text.substr(0, 2)), read_digits(text.substr(3, 2)),
                       read_digits(text.substr(6, 2))};
  const bool is_valid = text[2] == ':' && text[5] == ':' && time.hour >= 0 && time.hour < 24 &&
                        time.minute >= 0 && time.minute < 60 && time.second >= 0 &&
                        time.second <= 60;
  return is_valid ? std::optional<ClockTime>(time) : std::nullopt;
}

std::optional<std::int64_t> to_seconds(const CivilDate& date,
                                       const std::optional<ClockTime>& time) noexcept {
  if (!time.has_value() || date.year < 0 || date.month < 1 || date.day < 1) {
    return std::nullopt;
  }
  // A day that does not exist comes back as another one: 30 February as 1 or 2 March.
  const std::int64_t days = to_days(date);
  if (to_civil(days).day != date.day) {
    return std::nullopt;
  }
  return days * kSecondsPerDay + time->hour * 3600 + time->minute * 60 + time->second;
}

/// IMF-fixdate = day-name "," SP date1 SP time-of-day SP GMT
std::optional<std::int64_t> parse_fixdate(std::string_view text) noexcept {
  const bool has_marks = is_day_name(text.substr(0, 3)) && text.substr(3, 2) == ", " &&
                         text[7] == ' ' && text[11] == ' ' && text[16] == ' ' &&
                         text.substr(25) == " GMT";
  if (!has_marks) {
    return std::nullopt;
  }
  return to_seconds({read_digits(text.substr(12, 4)), read_month(text.substr(8, 3)),
                     read_digits(text.substr(5, 2))},
                    read_clock(text.substr(17, 8)));
}

/// asctime-date = day-name SP date3 SP time-of-day SP year, where the day may be SP 1DIGIT
std::optional<std::int64_t> parse_asctime(std::string_view text) noexcept {
  const bool has_marks = is_day_name(text.substr(0, 3)) && text[3] == ' ' && text[7] == ' ' &&
                         text[10] == ' ' && text[19] == ' ';
  if (!has_marks) {
    return std::nullopt;
  }
  const std::string_view day = text[8] == ' ' ? text.substr(9, 1) : text.substr(8, 2);
  return to_seconds(
      {read_digits(text.substr(20, 4)), read_month(text.substr(4, 3)), read_digits(day)},
      read_clock(text.substr(11, 8)));
}

/// "a date that appears to be more than 50 years in the future" is in the past.
std::int64_t to_full_year(int two_digits, std::int64_t now_seconds) noexcept {
  const std::int64_t this_year = to_civil(floor_divide(now_seconds, kSecondsPerDay)).year;
  std::int64_t year = this_year - this_year % 100 + two_digits;
  if (year > this_year + 50) {
    year -= 100;
  } else if (year <= this_year - 50) {
    year += 100;
  }
  return year;
}

/// rfc850-date = day-name-l "," SP date2 SP time-of-day SP GMT; `text` begins at the date.
std::optional<std::int64_t> parse_rfc850(std::string_view text, std::int64_t now_seconds) noexcept {
  const bool has_marks = text.size() == 22 && text[2] == '-' && text[6] == '-' && text[9] == ' ' &&
                         text.substr(18) == " GMT";
  const int two_digits = has_marks ? read_digits(text.substr(7, 2)) : -1;
  if (two_digits < 0) {
    return std::nullopt;
  }
  return to_seconds({to_full_year(two_digits, now_seconds), read_month(text.substr(3, 3)),
                     read_digits(text.substr(0, 2))},
                    read_clock(text.substr(10, 8)));
}

}  // namespace

DateText format_date(std::int64_t unix_seconds) noexcept {
  const std::int64_t seconds = std::clamp(unix_seconds, kFirstSecond, kLastSecond);
  const std::int64_t days = floor_divide(seconds, kSecondsPerDay);
  const auto of_day = static_cast<int>(seconds - days * kSecondsPerDay);
  const CivilDate date = to_civil(days);
  const std::int64_t weekday = (days % 7 + 7 + kThursday) % 7;
  const auto year = static_cast<int>(date.year);

  DateText text;
  std::memcpy(text.data(), "Day, 00 Mon 0000 00:00:00 GMT", kDateBytes);
  std::memcpy(&text[0], &kDays[static_cast<std::size_t>(weekday) * 3], 3);
  put_two_digits(&text[5], date.day);
  std::memcpy(&text[8], &kMonths[static_cast<std::size_t>(date.month - 1) * 3], 3);
  put_two_digits(&text[12], year / 100);
  put_two_digits(&text[14], year % 100);
  put_two_digits(&text[17], of_day / 3600);
  put_two_digits(&text[20], of_day / 60 % 60);
  put_two_digits(&text[23], of_day % 60);
  return text;
}

std::optional<std::int64_t> parse_date(std::string_view text, std::int64_t now_seconds) noexcept {
  if (text.size() == 29 && text[3] == ',') {
    return parse_fixdate(text);
  }
  if (text.size() == 24) {
    return parse_asctime(text);
  }
  for (const std::string_view day : kLongDays) {
    if (text.starts_with(day) && text.substr(day.size(), 2) == ", ") {
      return parse_rfc850(text.substr(day.size() + 2), now_seconds);
    }
  }
  return std::nullopt;
}

}  // namespace eider
