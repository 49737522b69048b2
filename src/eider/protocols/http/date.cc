#include "eider/protocols/http/date.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "eider/core/base/text.h"

namespace eider {

namespace {

using std::chrono::floor;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::sys_seconds;
using std::chrono::year_month_day;

constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::int64_t kFirstSecond = -62167219200;  // 0000-01-01 00:00:00
constexpr std::int64_t kLastSecond = 253402300799;   // 9999-12-31 23:59:59

struct ClockTime {
  int hour;
  int minute;
  int second;
};

void put_two_digits(char* at, int value) noexcept {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
}

/// Returns the number that `text` consists of, or -1 if a byte is not a digit.
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

/// Returns 1 to 12, or 0 if `name` is not a month.
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

/// Returns nothing if one of the numbers is invalid (-1, a month 0), or if there is no such day.
std::optional<std::int64_t> to_seconds(int year, int month, int day,
                                       const std::optional<ClockTime>& time) noexcept {
  if (!time.has_value() || year < 0 || month < 1 || day < 1) {
    return std::nullopt;
  }
  const year_month_day date(std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) {
    return std::nullopt;
  }
  const std::int64_t midnight = sys_seconds(sys_days(date)).time_since_epoch().count();
  return midnight + time->hour * 3600 + time->minute * 60 + time->second;
}

/// IMF-fixdate = day-name "," SP date1 SP time-of-day SP GMT
std::optional<std::int64_t> parse_fixdate(std::string_view text) noexcept {
  const bool has_marks = is_day_name(text.substr(0, 3)) && text.substr(3, 2) == ", " &&
                         text[7] == ' ' && text[11] == ' ' && text[16] == ' ' &&
                         text.substr(25) == " GMT";
  if (!has_marks) {
    return std::nullopt;
  }
  return to_seconds(read_digits(text.substr(12, 4)), read_month(text.substr(8, 3)),
                    read_digits(text.substr(5, 2)), read_clock(text.substr(17, 8)));
}

/// asctime-date = day-name SP date3 SP time-of-day SP year, where the day may be SP 1DIGIT
std::optional<std::int64_t> parse_asctime(std::string_view text) noexcept {
  const bool has_marks = is_day_name(text.substr(0, 3)) && text[3] == ' ' && text[7] == ' ' &&
                         text[10] == ' ' && text[19] == ' ';
  if (!has_marks) {
    return std::nullopt;
  }
  const std::string_view day = text[8] == ' ' ? text.substr(9, 1) : text.substr(8, 2);
  return to_seconds(read_digits(text.substr(20, 4)), read_month(text.substr(4, 3)),
                    read_digits(day), read_clock(text.substr(11, 8)));
}

/// "a date that appears to be more than 50 years in the future" is in the past.
int to_full_year(int two_digits, std::int64_t now_seconds) noexcept {
  const auto today = floor<std::chrono::days>(sys_seconds(seconds(now_seconds)));
  const auto this_year = static_cast<int>(year_month_day(today).year());
  int year = this_year - this_year % 100 + two_digits;
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
  return to_seconds(to_full_year(two_digits, now_seconds), read_month(text.substr(3, 3)),
                    read_digits(text.substr(0, 2)), read_clock(text.substr(10, 8)));
}

}  // namespace

DateText format_date(std::int64_t unix_seconds) noexcept {
  // The clamp limits the year to four digits, for which the text has room.
  const sys_seconds time(seconds(std::clamp(unix_seconds, kFirstSecond, kLastSecond)));
  const auto midnight = floor<std::chrono::days>(time);
  const auto of_day = static_cast<int>((time - midnight).count());
  const year_month_day date(midnight);
  const std::size_t weekday = std::chrono::weekday(midnight).c_encoding();
  const std::size_t month = static_cast<unsigned>(date.month()) - 1;
  const auto year = static_cast<int>(date.year());

  DateText text;
  std::memcpy(text.data(), "Day, 00 Mon 0000 00:00:00 GMT", kDateBytes);
  std::memcpy(&text[0], &kDays[weekday * 3], 3);
  put_two_digits(&text[5], static_cast<int>(static_cast<unsigned>(date.day())));
  std::memcpy(&text[8], &kMonths[month * 3], 3);
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
