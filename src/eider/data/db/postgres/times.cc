#include "eider/data/db/postgres/times.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "eider/data/db/postgres/bytes.h"
#include "eider/data/db/postgres/types.h"

namespace eider::db::postgres {
namespace {

// Dates and times: days and microseconds since 2000-01-01.

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::chrono::sys_days kEpoch{std::chrono::year{2000} / 1 / 1};

/// The calendar repeats after 400 years. std::chrono's years end at 32767, the server's later.
///
/// returns  what is to stand behind it all: the year before 1 is 1 BC
std::string_view add_date(std::string& text, std::int64_t days) {
  constexpr std::int64_t kCycleDays = 146'097;
  const std::int64_t cycles = days / kCycleDays;
  const std::chrono::year_month_day date(kEpoch + std::chrono::days(days % kCycleDays));
  const std::int64_t year = static_cast<int>(date.year()) + cycles * 400;
  add_digits(text, year > 0 ? year : 1 - year, 4);
  text += '-';
  add_digits(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  add_digits(text, static_cast<unsigned>(date.day()), 2);
  return year > 0 ? "" : " BC";
}

/// 14:30:00, and .25 where there is a part of a second.
void add_time(std::string& text, std::int64_t of_day) {
  const std::int64_t seconds = of_day / kSecond;
  add_digits(text, seconds / 3600, 2);
  text += ':';
  add_digits(text, seconds / 60 % 60, 2);
  text += ':';
  add_digits(text, seconds % 60, 2);
  if (of_day % kSecond != 0) {
    text += '.';
    add_digits(text, of_day % kSecond, 6);
    text.erase(text.find_last_not_of('0') + 1);
  }
}

template <class Count>
bool is_infinite(Count count, std::string& room) {
  if (count == std::numeric_limits<Count>::max()) {
    room = "infinity";
  } else if (count == std::numeric_limits<Count>::min()) {
    room = "-infinity";
  }
  return !room.empty();
}

}  // namespace

Cell read_date(std::string_view bytes, std::string& room) {
  const auto days = whole_number<std::int32_t>(bytes, kDate);
  if (!is_infinite(days, room)) {
    room += add_date(room, days);
  }
  return of_text(room);
}

Cell read_timestamp(Oid type, std::string_view bytes, std::string& room) {
  const auto count = whole_number<std::int64_t>(bytes, type);
  if (!is_infinite(count, room)) {
    std::int64_t days = count / kDay;
    std::int64_t of_day = count % kDay;
    if (of_day < 0) {
      of_day += kDay;
      --days;
    }
    const std::string_view era = add_date(room, days);
    room += 'T';
    add_time(room, of_day);
    room += type == kTimestampTz ? "Z" : "";
    room += era;
  }
  return of_text(room);
}

Cell read_time(std::string_view bytes, std::string& room) {
  const auto count = whole_number<std::int64_t>(bytes, kTime);
  if (count < 0 || count > kDay) {
    refuse_bytes(kTime);
  }
  add_time(room, count);
  return of_text(room);
}

Cell read_timestamp_text(Oid type, std::string_view text, std::string& room) {
  constexpr std::size_t kDateBytesMin = 10;
  const std::size_t space = text.find(' ');
  room = text;
  if (space == std::string_view::npos || space < kDateBytesMin || text[space - 3] != '-') {
    return of_text(text);
  }
  room[space] = 'T';
  if (type == kTimestampTz) {
    const std::size_t offset = room.find_last_of("+-");
    if (room.ends_with("+00")) {
      room.replace(room.size() - 3, 3, "Z");
    } else if (offset == room.size() - 3) {
      room += ":00";
    }
  }
  return of_text(room);
}

}  // namespace eider::db::postgres
