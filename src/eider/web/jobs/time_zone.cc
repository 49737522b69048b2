#include "eider/web/jobs/time_zone.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "eider/app/settings/bounded_file.h"

namespace eider {

namespace detail::jobs {

namespace {

using std::chrono::days;
using std::chrono::seconds;
using std::chrono::sys_days;

constexpr std::int64_t kDay = 86'400;

/// Reads a POSIX TZ text from the front.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) noexcept : text_(text) {}

  [[nodiscard]] bool is_at_end() const noexcept { return text_.empty(); }
  bool skip(char letter) noexcept {
    if (!text_.starts_with(letter)) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }
  /// Skips "CET" or "<+03>".
  bool skip_name() noexcept {
    std::size_t size = 0;
    if (skip('<')) {
      size = text_.find('>');
      if (size == std::string_view::npos || size == 0) {
        return false;
      }
      text_.remove_prefix(size + 1);
      return true;
    }
    while (size < text_.size() && is_letter(text_[size])) {
      ++size;
    }
    text_.remove_prefix(size);
    return size >= 3;
  }
  std::optional<int> number(int max) noexcept {
    int value = 0;
    std::size_t size = 0;
    for (; size < text_.size() && text_[size] >= '0' && text_[size] <= '9'; ++size) {
      value = value * 10 + (text_[size] - '0');
      if (value > max) {
        return std::nullopt;
      }
    }
    text_.remove_prefix(size);
    return size == 0 ? std::nullopt : std::optional(value);
  }
  /// Reads "1", "-5:30" or "+2:00:00".
  std::optional<std::int64_t> time() noexcept {
    const bool is_negative = skip('-');
    if (!is_negative) {
      (void)skip('+');
    }
    const auto hours = number(167);
    std::int64_t total = std::int64_t{hours.value_or(0)} * 3600;
    for (std::int64_t unit = 60; hours && unit != 0 && skip(':'); unit = unit == 60 ? 1 : 0) {
      const auto part = number(59);
      if (!part) {
        return std::nullopt;
      }
      total += *part * unit;
    }
    return hours ? std::optional(is_negative ? -total : total) : std::nullopt;
  }
  std::optional<ZoneRule> rule() noexcept {
    ZoneRule rule;
    if (skip('M')) {
      const auto month = number(12);
      const bool has_week = skip('.');
      const auto week = number(5);
      const bool has_day = skip('.');
      const auto day = number(6);
      if (!month || !has_week || !week || !has_day || !day || *month == 0 || *week == 0) {
        return std::nullopt;
      }
      rule.month = *month;
      rule.week = *week;
      rule.day = *day;
    } else {
      const bool is_julian = skip('J');
      const auto day = number(365);
      if (!day || (is_julian && *day == 0)) {
        return std::nullopt;
      }
      rule.kind = is_julian ? ZoneRule::Kind::julian_day : ZoneRule::Kind::day_of_year;
      rule.day = *day;
    }
    if (skip('/')) {
      const auto at = time();
      if (!at) {
        return std::nullopt;
      }
      rule.seconds = *at;
    }
    return rule;
  }

 private:
  static bool is_letter(char letter) noexcept {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  }

  std::string_view text_;
};

/// Returns the time of a rule in a year, in seconds since 1970 of the local clock.
std::int64_t local_of(const ZoneRule& rule, std::chrono::year year) {
  using std::chrono::January;
  sys_days day = sys_days(year / January / 1);
  switch (rule.kind) {
    case ZoneRule::Kind::month_week_day: {
      const auto month = year / std::chrono::month(static_cast<unsigned>(rule.month));
      const std::chrono::weekday weekday(static_cast<unsigned>(rule.day));
      day = rule.week == 5 ? sys_days(month / weekday[std::chrono::last])
                           : sys_days(month / weekday[static_cast<unsigned>(rule.week)]);
      break;
    }
    case ZoneRule::Kind::day_of_year:
      day += days(rule.day);
      break;
    case ZoneRule::Kind::julian_day:  // February 29 is never counted
      day += days(rule.day - 1 + (year.is_leap() && rule.day >= 60 ? 1 : 0));
      break;
  }
  return std::int64_t{day.time_since_epoch().count()} * kDay + rule.seconds;
}

/// Reads a big-endian number.
std::int64_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(value))
                   : static_cast<std::int64_t>(value);
}

struct ZoneHeader {
  std::size_t is_ut = 0, is_std = 0, leaps = 0, times = 0, types = 0, letters = 0;

  [[nodiscard]] std::size_t data_bytes(std::size_t time_bytes) const noexcept {
    return times * time_bytes + times + types * 6 + letters + leaps * (time_bytes + 4) + is_std +
           is_ut;
  }
};

constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kFileBytesMax = 256UL * 1024;

std::optional<ZoneHeader> read_header(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("TZif") || bytes[4] < '2') {
    return std::nullopt;
  }
  std::array<std::size_t, 6> counts{};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::int64_t count = number_at(bytes, 20 + 4 * i, 4);
    if (count < 0 || static_cast<std::size_t>(count) > kFileBytesMax) {
      return std::nullopt;
    }
    counts[i] = static_cast<std::size_t>(count);
  }
  const auto [is_ut, is_std, leaps, times, types, letters] = counts;
  return ZoneHeader{is_ut, is_std, leaps, times, types, letters};
}

/// Returns whether an offset is plausible. Those of real zones are at most 26 hours; `first`
/// searches two days.
bool is_offset(std::int64_t offset) noexcept {
  return offset >= -2 * kDay && offset <= 2 * kDay;
}

/// Returns whether a name is a relative path below the zone directory, without dots.
bool is_zone_name(std::string_view name) {
  const auto is_fine = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '/' || letter == '_' || letter == '-' ||
           letter == '+';
  };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, is_fine) &&
         name.front() != '/';
}

}  // namespace

std::optional<ZoneRules> read_zone_rules(std::string_view text) {
  RuleReader reader(text);
  ZoneRules rules;
  const bool has_name = reader.skip_name();
  const auto standard = reader.time();
  if (!has_name || !standard) {
    return std::nullopt;
  }
  rules.standard = rules.summer = -*standard;
  if (!is_offset(rules.standard)) {
    return std::nullopt;
  }
  if (reader.is_at_end()) {
    return rules;
  }
  if (!reader.skip_name()) {
    return std::nullopt;
  }
  rules.has_summer = true;
  rules.summer = rules.standard + 3600;
  if (!reader.skip(',')) {
    const auto summer = reader.time();
    if (!summer || !is_offset(*summer) || !reader.skip(',')) {
      return std::nullopt;
    }
    rules.summer = -*summer;
  }
  const auto begin = reader.rule();
  const bool has_end = reader.skip(',');
  const auto end = reader.rule();
  if (!begin || !has_end || !end || !reader.is_at_end()) {
    return std::nullopt;
  }
  rules.begin = *begin;
  rules.end = *end;
  return rules;
}

}  // namespace detail::jobs

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() / 4;

sys_seconds to_time(std::int64_t count) {
  return sys_seconds(seconds(count));
}

}  // namespace

std::optional<TimeZone> TimeZone::read(std::string_view bytes) {
  using namespace detail::jobs;
  const auto old = read_header(bytes);
  if (!old || bytes.size() > kFileBytesMax || bytes.size() < kHeaderBytes + old->data_bytes(4)) {
    return std::nullopt;
  }
  bytes.remove_prefix(kHeaderBytes + old->data_bytes(4));
  const auto header = read_header(bytes);
  if (!header || header->types == 0 || bytes.size() < kHeaderBytes + header->data_bytes(8)) {
    return std::nullopt;
  }
  bytes.remove_prefix(kHeaderBytes);
  const std::size_t indexes = header->times * 8;
  const std::size_t types = indexes + header->times;
  TimeZone zone;
  zone.first_offset_ = number_at(bytes, types, 4);
  if (!is_offset(zone.first_offset_)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < header->times; ++i) {
    const auto type = static_cast<unsigned char>(bytes[indexes + i]);
    const Change change{number_at(bytes, i * 8, 8),
                        type < header->types ? number_at(bytes, types + type * 6UL, 4) : kEnd};
    if (!is_offset(change.offset) || (i != 0 && change.at <= zone.changes_.back().at) ||
        change.at > kEnd || change.at < -kEnd) {
      return std::nullopt;
    }
    zone.changes_.push_back(change);
  }
  bytes.remove_prefix(header->data_bytes(8));
  if (!bytes.starts_with('\n') || !bytes.substr(1).contains('\n')) {
    return std::nullopt;
  }
  bytes = bytes.substr(1, bytes.find('\n', 1) - 1);
  zone.rules_ = bytes.empty() ? std::nullopt : read_zone_rules(bytes);
  if (!bytes.empty() && !zone.rules_) {
    return std::nullopt;
  }
  return zone;
}

Result<TimeZone, std::string> TimeZone::find(std::string_view name) {
  if (name == "UTC") {
    return TimeZone();
  }
  const std::string wrong = "There is no time zone \"" + std::string(name) + "\"";
  if (!detail::jobs::is_zone_name(name)) {
    return std::unexpected(wrong + ". Use a name such as Europe/Berlin.");
  }
  const char* const directory = std::getenv("TZDIR");
  const std::string path = std::string(directory == nullptr ? "/usr/share/zoneinfo" : directory) +
                           "/" + std::string(name);
  const auto bytes = detail::app::read_bounded_file(path, detail::jobs::kFileBytesMax);
  auto zone = bytes ? read(*bytes) : std::nullopt;
  if (!zone) {
    return std::unexpected(wrong + " in " + path + ". Install the package tzdata, or use UTC.");
  }
  return std::move(*zone);
}

TimeZone::Period TimeZone::at(sys_seconds time) const {
  const std::int64_t count = time.time_since_epoch().count();
  const auto next = std::ranges::upper_bound(changes_, count, {}, &Change::at);
  if (next == changes_.end() && rules_) {
    return by_rules(count, changes_.empty() ? -kEnd : changes_.back().at);
  }
  const std::int64_t begin = next == changes_.begin() ? -kEnd : std::prev(next)->at;
  const std::int64_t offset = next == changes_.begin() ? first_offset_ : std::prev(next)->offset;
  return {to_time(begin), to_time(next == changes_.end() ? kEnd : next->at), seconds(offset)};
}

TimeZone::Period TimeZone::by_rules(std::int64_t time, std::int64_t from) const {
  using detail::jobs::local_of;
  const detail::jobs::ZoneRules& rules = *rules_;
  Period period{to_time(from), to_time(kEnd), seconds(rules.standard)};
  if (!rules.has_summer) {
    return period;
  }
  // The changes of the year (Gregorian calendar) of that time, and of the years next to it, which
  // may be nearer.
  const auto day = std::chrono::floor<std::chrono::days>(to_time(time));
  const int year = static_cast<int>(std::chrono::year_month_day(day).year());
  std::vector<Change> changes;
  for (int each = year - 1; each <= year + 1; ++each) {
    changes.push_back(
        {local_of(rules.begin, std::chrono::year(each)) - rules.standard, rules.summer});
    changes.push_back(
        {local_of(rules.end, std::chrono::year(each)) - rules.summer, rules.standard});
  }
  std::ranges::sort(changes, {}, &Change::at);
  for (const Change& change : changes) {
    if (change.at <= time) {
      period.begin = to_time(std::max(change.at, from));
      period.offset = seconds(change.offset);
    } else {
      period.end = to_time(change.at);
      break;
    }
  }
  return period;
}

sys_seconds TimeZone::first(LocalSeconds local) const {
  const seconds wanted = local.time_since_epoch();
  // Two days earlier, because no offset is larger than that.
  Period period = at(sys_seconds(wanted - std::chrono::days(2)));
  while (true) {
    const sys_seconds time(wanted - period.offset);
    if (time < period.begin) {
      return period.begin;  // the clock was set forward over it
    }
    if (time < period.end) {
      return time;
    }
    period = at(period.end);
  }
}

}  // namespace eider
