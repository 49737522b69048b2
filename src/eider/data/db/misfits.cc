#include "eider/data/db/misfits.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "eider/data/db/store.h"

namespace eider::db {
namespace {

using reflect::Kind;
using reflect::Type;
using CellKind = Value::Kind;

// Durations.

/// PostgreSQL stores up to 178,000,000 years, which are more microseconds than 64 bits can count.
using Wide = __int128;

/// The microseconds, and whether there are months, whose length varies.
struct Interval {
  Wide microseconds = 0;
  bool has_months = false;
};

constexpr std::int64_t kSecondUnit = 1'000'000;
constexpr struct {
  std::string_view name;  // in singular
  std::int64_t microseconds;
} kUnits[] = {{"year", 0},
              {"mon", 0},
              {"day", 86'400 * kSecondUnit},
              {"hour", 3600 * kSecondUnit},
              {"min", 60 * kSecondUnit},
              {"sec", kSecondUnit}};

/// Parses a text from the left.
class IntervalReader {
 public:
  explicit IntervalReader(std::string_view text) noexcept : rest_(text) {}

  std::optional<Interval> read() {
    (void)take("@");
    const bool is_ago = rest_.ends_with(" ago");
    rest_.remove_suffix(is_ago ? 4 : 0);
    const bool is_good = take("P") ? read_iso() : read_words();
    sum_.microseconds *= is_ago ? -1 : 1;
    return is_good ? std::optional(sum_) : std::nullopt;
  }

 private:
  bool take(std::string_view word) noexcept {
    if (!rest_.starts_with(word)) {
      return false;
    }
    rest_.remove_prefix(word.size());
    while (rest_.starts_with(' ')) {
      rest_.remove_prefix(1);
    }
    return true;
  }

  /// Parses a number with its sign, times `unit`: "1.5" seconds are 1,500,000.
  std::optional<Wide> take_number(std::int64_t unit) {
    const bool is_negative = rest_.starts_with('-');
    rest_.remove_prefix(is_negative || rest_.starts_with('+') ? 1 : 0);
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
    if (error != std::errc() || count < 0) {
      return std::nullopt;
    }
    Wide whole = static_cast<Wide>(count) * unit;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (take_point()) {
      while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
        unit /= 10;
        whole += unit * (rest_.front() - '0');
        rest_.remove_prefix(1);
      }
    }
    return is_negative ? -whole : whole;
  }
  bool take_point() noexcept { return take(".") || take(","); }

  bool add(Wide microseconds) noexcept {
    return !__builtin_add_overflow(sum_.microseconds, microseconds, &sum_.microseconds);
  }

  /// Parses "1 day 02:00:00", "1 day 2 hours", "1 2:00:00", and "1-2": years and months.
  bool read_words() {
    while (!rest_.empty()) {
      const bool is_negative = rest_.starts_with('-');
      const std::string_view word = rest_.substr(0, rest_.find(' '));
      const std::size_t dash = word.find('-', 1);
      if (word.contains(':')) {
        if (!read_clock(is_negative)) {
          return false;
        }
      } else if (dash != std::string_view::npos) {
        sum_.has_months = true;
        take(word);
      } else if (!read_counted(word)) {
        return false;
      }
    }
    return true;
  }

  bool read_counted(std::string_view word) {
    if (word == "0" && word.size() == rest_.size()) {
      return take(word);
    }
    IntervalReader unit_of(rest_.substr(word.size()));
    (void)unit_of.take(" ");
    const auto* const unit = std::ranges::find_if(
        kUnits, [&](const auto& one) { return unit_of.rest_.starts_with(one.name); });
    const bool is_days = unit == std::end(kUnits);  // in SQL's own style: a time of day follows
    const auto count = take_number(is_days ? kUnits[2].microseconds : unit->microseconds);
    if (!count || !add(*count)) {
      return false;
    }
    (void)take(" ");
    sum_.has_months = sum_.has_months || (!is_days && unit->microseconds == 0);
    if (is_days) {
      return rest_.contains(':');
    }
    (void)take(unit->name);
    (void)take("s");
    return true;
  }

  /// Parses "02:03:04.5"; the sign was before the first number.
  bool read_clock(bool is_negative) {
    for (const std::size_t unit : {3U, 4U, 5U}) {
      const auto count = take_number(kUnits[unit].microseconds);
      if (!count || !add(is_negative && *count > 0 ? -*count : *count)) {
        return false;
      }
      if (!rest_.starts_with(':')) {
        (void)take(" ");
        return unit > 3;
      }
      rest_.remove_prefix(1);
    }
    return false;
  }

  /// Parses "1DT2H-3M4.5S", after the P.
  bool read_iso() {
    bool is_of_clock = false;
    while (!rest_.empty()) {
      is_of_clock = take("T") || is_of_clock;
      const auto unit_at = rest_.find_first_not_of("0123456789.,+-");
      if (unit_at == std::string_view::npos || unit_at == 0) {
        return false;
      }
      const std::int64_t unit = unit_of(rest_[unit_at], is_of_clock);
      const auto count = take_number(unit);
      if (unit < 0 || !count || !add(*count) || rest_.empty()) {
        return false;
      }
      rest_.remove_prefix(1);
    }
    return true;
  }

  /// Returns a negative number for an unknown letter.
  std::int64_t unit_of(char letter, bool is_of_clock) noexcept {
    switch (letter) {
      case 'H':
        return is_of_clock ? kUnits[3].microseconds : -1;
      case 'S':
        return is_of_clock ? kUnits[5].microseconds : -1;
      case 'D':
        return kUnits[2].microseconds;
      case 'W':
        return 7 * kUnits[2].microseconds;
      case 'M':
        sum_.has_months = sum_.has_months || !is_of_clock;
        return is_of_clock ? kUnits[4].microseconds : 0;
      case 'Y':
        sum_.has_months = true;
        return 0;
      default:
        return -1;
    }
  }

  std::string_view rest_;
  Interval sum_;
};

// Misfits.

bool is_format(const Type& type, std::initializer_list<std::string_view> formats) {
  return type.kind == Kind::kText &&
         std::ranges::find(formats, type.text().schema->format) != formats.end();
}

bool is_length(const Type& type) {
  return is_format(type, {"duration", "precise-duration"});
}

template <class Number>
std::optional<Misfit> out_of_range(const char* name, const char* fix) {
  return Misfit{"is out of range for " + std::string(name) + " (" +
                    std::to_string(std::numeric_limits<Number>::min()) + " to " +
                    std::to_string(std::numeric_limits<Number>::max()) + ")",
                fix};
}

std::optional<Misfit> misfit_of_number(const Type& type) {
  const bool is_signed = type.kind == Kind::kSigned;
  switch (type.bytes) {
    case 1:
      return is_signed ? out_of_range<std::int8_t>("std::int8_t", "use int or std::int64_t")
                       : out_of_range<std::uint8_t>("std::uint8_t", "use int or std::int64_t");
    case 2:
      return is_signed ? out_of_range<std::int16_t>("std::int16_t", "use int or std::int64_t")
                       : out_of_range<std::uint16_t>("std::uint16_t", "use int or std::int64_t");
    case 4:
      return is_signed ? out_of_range<std::int32_t>("int", "use std::int64_t")
                       : out_of_range<std::uint32_t>("unsigned int", "use std::int64_t");
    default:
      return is_signed ? out_of_range<std::int64_t>("std::int64_t", "use double or std::string")
                       : out_of_range<std::uint64_t>("std::uint64_t", "use std::int64_t");
  }
}

/// Returns the text without its last point and the digits after it.
std::optional<std::string> without_fraction(std::string_view text) {
  const std::size_t point = text.rfind('.');
  if (point == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find_first_not_of("0123456789", point + 1), text.size());
  return std::string(text.substr(0, point)).append(text.substr(end));
}

std::string with_microseconds(const Type& type) {
  if (is_length(type)) {
    return "use a finer type, such as std::chrono::microseconds";
  }
  const std::string kind = is_format(type, {"date-time"}) ? "sys_time" : "local_time";
  return "use a finer type, such as std::chrono::" + kind +
         "<std::chrono::microseconds>, or truncate in the statement: date_trunc('second', …)";
}

bool has_year_beyond(std::string_view text) {
  return text.ends_with(" BC") || text.starts_with('-') || text.find('-') > 4;
}

std::optional<Misfit> misfit_of_length(const Type& type, void* object, std::string_view text) {
  const std::optional<Interval> read = IntervalReader(text).read();
  if (!read) {
    return std::nullopt;
  }
  if (read->has_months) {
    return Misfit{"has months or years, which have no fixed length",
                  "use std::string, or calculate in the statement: extract(epoch from …)"};
  }
  if (read->microseconds < 0) {
    return Misfit{"is a negative duration", "select the number of seconds into a std::int64_t"};
  }
  const auto iso = iso_of_interval(text);
  const auto whole = iso ? without_fraction(*iso) : std::nullopt;
  return whole && type.text().read(object, *whole)
             ? std::optional(Misfit{"has a fraction of a second", with_microseconds(type)})
             : std::nullopt;
}

std::optional<Misfit> misfit_of_time(const Type& type, void* object, std::string_view text) {
  if (text == "infinity" || text == "-infinity") {
    return Misfit{"is " + std::string(text),
                  "use std::string, or a std::optional and nullif(…, '" + std::string(text) + "')"};
  }
  if (text.starts_with("0000-00-00") || text.contains("-00")) {
    return Misfit{"is a zero date, which is not a valid date",
                  "use a std::optional and nullif(…, '0000-00-00'), and add NO_ZERO_DATE and "
                  "NO_ZERO_IN_DATE to the server's sql_mode"};
  }
  if (is_format(type, {"time-of-day"})) {
    return IntervalReader(text).read()
               ? std::optional(Misfit{"is not within one day", "use std::chrono::seconds"})
               : std::nullopt;
  }
  const bool has_zone =
      text.ends_with('Z') || text.find_first_of("+-", 11) != std::string_view::npos;
  if (is_format(type, {"date-time"}) && !has_zone &&
      type.text().read(object, std::string(text) + "Z")) {
    return Misfit{"has no time zone",
                  "use std::chrono::local_time, or make the column a timestamptz (PostgreSQL) or a "
                  "timestamp (MariaDB)"};
  }
  if (is_format(type, {"local-date-time"}) && has_zone) {
    return Misfit{"has a time zone", "use std::chrono::sys_time"};
  }
  if (has_year_beyond(text)) {
    return Misfit{"is before the year 0000 or after the year 9999", "use std::string"};
  }
  const auto whole = without_fraction(text);
  return whole && type.text().read(object, *whole)
             ? std::optional(Misfit{"has a fraction of a second", with_microseconds(type)})
             : std::nullopt;
}

}  // namespace

std::optional<std::string> iso_of_interval(std::string_view text) {
  const std::optional<Interval> read = IntervalReader(text).read();
  if (!read || read->has_months || read->microseconds < 0 ||
      read->microseconds / kSecondUnit > std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  std::string iso =
      "PT" + std::to_string(static_cast<std::int64_t>(read->microseconds / kSecondUnit));
  if (const auto part = static_cast<std::int64_t>(read->microseconds % kSecondUnit); part != 0) {
    std::string digits = std::to_string(kSecondUnit + part);
    digits.erase(digits.find_last_not_of('0') + 1);
    iso += "." + digits.substr(1);
  }
  return iso + "S";
}

std::optional<Misfit> find_misfit(const Type& type, void* object, const Cell& cell) {
  if (type.kind == Kind::kOptional) {
    return find_misfit(*type.optional().value, type.optional().emplace(object), cell);
  }
  if (type.kind == Kind::kConstrained) {
    return find_misfit(*type.constraint().value, object, cell);
  }
  const bool is_number = type.kind == Kind::kSigned || type.kind == Kind::kUnsigned;
  if (is_number && cell.kind == CellKind::integer && !store_cell(type, object, cell).empty()) {
    return misfit_of_number(type);
  }
  if (type.kind != Kind::kText || cell.kind != CellKind::text ||
      store_cell(type, object, cell).empty()) {
    return std::nullopt;
  }
  if (is_length(type)) {
    return misfit_of_length(type, object, cell.bytes);
  }
  return is_format(type, {"date", "date-time", "local-date-time", "time-of-day"})
             ? misfit_of_time(type, object, cell.bytes)
             : std::nullopt;
}

}  // namespace eider::db
