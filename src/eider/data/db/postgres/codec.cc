#include "eider/data/db/postgres/codec.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <system_error>

#include "eider/core/base/text.h"
#include "eider/core/kinds/uuid.h"
#include "eider/data/db/postgres/array_codec.h"
#include "eider/data/db/postgres/bytes.h"
#include "eider/data/db/postgres/types.h"

namespace eider::db::postgres {
namespace {

// Dates and times: days and microseconds since 2000-01-01.

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::chrono::sys_days kEpoch{std::chrono::year{2000} / 1 / 1};

/// Adds a date. The calendar repeats after 400 years. This is necessary because years of
/// std::chrono end at 32767, and those of the server later.
///
/// returns  the suffix: the year before 1 is 1 BC
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

/// Adds a time such as 14:30:00, with a fraction such as .25 if it is not zero.
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

Cell read_date(std::string_view bytes, std::string& room) {
  const auto days = whole_number<std::int32_t>(bytes, kDate);
  if (!is_infinite(days, room)) {
    room += add_date(room, days);
  }
  return of_text(room);
}

/// type  timestamp with or without time zone
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

/// Converts "2026-11-22 18:05:00+00" to ISO 8601; other formats are not changed.
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

using CellKind = Value::Kind;

Cell of_integer(std::int64_t number) noexcept {
  return {.kind = CellKind::integer, .integer = number};
}

Cell of_real(double number) noexcept {
  return {.kind = CellKind::real, .real = number};
}

Cell of_blob(std::string_view bytes) noexcept {
  return {.kind = CellKind::blob, .bytes = bytes};
}

Cell read_uuid(std::string_view bytes, std::string& room) {
  Uuid::Bytes copy{};
  if (bytes.size() != copy.size()) {
    refuse_bytes(kUuid);
  }
  std::ranges::copy(bytes, copy.begin());
  room += Uuid(copy).text();
  return of_text(room);
}

// Numeric: digits to the base of 10,000; the first one has the weight 10,000^weight.

struct Numeric {
  std::int16_t count;
  std::int16_t weight;
  std::uint16_t sign;
  std::int16_t scale;  // digits after the decimal point
};

constexpr std::size_t kNumericHead = 8;

/// Returns the four decimal digits for 10,000^power, or zeros.
std::int16_t numeric_digit(std::string_view bytes, const Numeric& head, int power) {
  const int index = head.weight - power;
  if (index < 0 || index >= head.count) {
    return 0;
  }
  const auto digit =
      number_at<std::int16_t>(bytes, kNumericHead + 2 * static_cast<std::size_t>(index), kNumeric);
  if (digit < 0 || digit > 9999) {
    refuse_bytes(kNumeric);
  }
  return digit;
}

void add_numeric(std::string& room, std::string_view bytes, const Numeric& head) {
  room += std::to_string(numeric_digit(bytes, head, std::max<int>(head.weight, 0)));
  for (int power = head.weight - 1; power >= 0; --power) {
    add_digits(room, numeric_digit(bytes, head, power), 4);
  }
  if (head.scale == 0) {
    return;
  }
  room += '.';
  const std::size_t point = room.size();
  const auto scale = static_cast<std::size_t>(head.scale);
  for (int power = -1; room.size() - point < scale; --power) {
    add_digits(room, numeric_digit(bytes, head, power), 4);
  }
  room.resize(point + scale);
}

Cell read_numeric(std::string_view bytes, std::string& room) {
  const Numeric head{
      number_at<std::int16_t>(bytes, 0, kNumeric), number_at<std::int16_t>(bytes, 2, kNumeric),
      number_at<std::uint16_t>(bytes, 4, kNumeric), number_at<std::int16_t>(bytes, 6, kNumeric)};
  constexpr std::uint16_t kNegative = 0x4000;
  constexpr std::uint16_t kSpecial = 0xC000;  // NaN and infinities
  if (head.count < 0 || head.scale < 0 ||
      bytes.size() != kNumericHead + 2 * static_cast<std::size_t>(head.count)) {
    refuse_bytes(kNumeric);
  }
  if ((head.sign & kSpecial) == kSpecial) {
    room = head.sign == kSpecial ? "NaN" : head.sign == 0xD000 ? "Infinity" : "-Infinity";
    return of_text(room);
  }
  room += head.sign == kNegative ? "-" : "";
  add_numeric(room, bytes, head);
  return of_text(room);
}

Cell read_jsonb(std::string_view bytes) {
  if (!bytes.starts_with('\1')) {
    refuse_bytes(kJsonb);
  }
  return of_text(bytes.substr(1));
}

/// Reads values that are converted to text. A separate function, so that reading numbers does not
/// need its stack frame.
[[gnu::noinline]] Cell read_made(Oid type, std::string_view bytes, std::string& room) {
  room.clear();
  switch (type) {
    case kDate:
      return read_date(bytes, room);
    case kTime:
      return read_time(bytes, room);
    case kTimestamp:
    case kTimestampTz:
      return read_timestamp(type, bytes, room);
    case kUuid:
      return read_uuid(bytes, room);
    case kNumeric:
      return read_numeric(bytes, room);
    case kJsonb:
      return read_jsonb(bytes);
    default:
      return of_text(bytes);
  }
}

Cell read_binary(Oid type, std::string_view bytes, std::string& room) {
  switch (type) {
    case kBool:
      return of_integer(whole_number<std::uint8_t>(bytes, type) != 0 ? 1 : 0);
    case kInt2:
      return of_integer(whole_number<std::int16_t>(bytes, type));
    case kInt4:
      return of_integer(whole_number<std::int32_t>(bytes, type));
    case kInt8:
      return of_integer(whole_number<std::int64_t>(bytes, type));
    case kOid:
      return of_integer(whole_number<std::uint32_t>(bytes, type));
    case kFloat4:
      return of_real(whole_number<float>(bytes, type));
    case kFloat8:
      return of_real(whole_number<double>(bytes, type));
    case kBytea:
      return of_blob(bytes);
    case kText:
    case kVarchar:
      return of_text(bytes);
    default:
      return read_made(type, bytes, room);
  }
}

// The same for the text format.

template <class Number>
Number number_of(std::string_view text, Oid type) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse_bytes(type);
  }
  return number;
}

Cell read_hex(std::string_view text, std::string& room) {
  if (!text.starts_with("\\x") || text.size() % 2 != 0) {
    refuse_bytes(kBytea);
  }
  for (std::size_t i = 2; i < text.size(); i += 2) {
    const int high = hex_value(text[i]);
    const int low = hex_value(text[i + 1]);
    if (high < 0 || low < 0) {
      refuse_bytes(kBytea);
    }
    room += static_cast<char>(high << 4 | low);
  }
  return of_blob(room);
}

[[gnu::noinline]] Cell read_text(Oid type, std::string_view text, std::string& room) {
  room.clear();
  switch (type) {
    case kBool:
      return of_integer(text == "t" ? 1 : 0);
    case kInt2:
    case kInt4:
    case kInt8:
    case kOid:
      return of_integer(number_of<std::int64_t>(text, type));
    case kFloat4:
      return of_real(number_of<float>(text, type));
    case kFloat8:
      return of_real(number_of<double>(text, type));
    case kBytea:
      return read_hex(text, room);
    case kTimestamp:
    case kTimestampTz:
      return read_timestamp_text(type, text, room);
    default:
      return of_text(text);
  }
}

Cell read_scalar(Oid type, Format format, std::string_view bytes, std::string& room) {
  return format == Format::binary ? read_binary(type, bytes, room) : read_text(type, bytes, room);
}

[[gnu::noinline]] Cell read_list(Oid element, Format format, std::string_view bytes,
                                 CellRoom& room) {
  ArrayElements parts;
  read_array(element, format, bytes, room.unquoted, parts);
  room.texts.resize(std::max(room.texts.size(), parts.size()));
  room.list.elements.clear();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    room.list.elements.push_back(parts[i] ? read_scalar(element, format, *parts[i], room.texts[i])
                                          : Cell());
  }
  room.text = text_of_array(element, room.list);
  return {.kind = CellKind::text, .bytes = room.text, .list = &room.list};
}

}  // namespace

bool is_known_in_binary(Oid type) noexcept {
  constexpr std::array kKnown = {kBool,    kBytea,   kName, kInt8,   kInt2,      kInt4,
                                 kText,    kOid,     kJson, kFloat4, kFloat8,    kUnknown,
                                 kBpchar,  kVarchar, kDate, kTime,   kTimestamp, kTimestampTz,
                                 kNumeric, kUuid,    kVoid, kJsonb};
  return std::ranges::find(kKnown, type) != kKnown.end() || element_of(type) != 0;
}

Cell read_cell(Oid type, Format format, std::string_view bytes, CellRoom& room) {
  const Oid element = element_of(type);
  return element == 0 ? read_scalar(type, format, bytes, room.text)
                      : read_list(element, format, bytes, room);
}

}  // namespace eider::db::postgres
