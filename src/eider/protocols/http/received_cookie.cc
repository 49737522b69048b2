#include "eider/protocols/http/received_cookie.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

namespace {

/// The parts of a date that have been found so far.
struct Found {
  std::optional<std::array<int, 3>> time;
  std::optional<int> day;
  std::optional<unsigned> month;
  std::optional<int> year;
};

/// delimiter = %x09 / %x20-2F / %x3B-40 / %x5B-60 / %x7B-7E
bool is_delimiter(char byte) noexcept {
  return byte == '\t' || (byte >= ' ' && byte <= '/') || (byte >= ';' && byte <= '@') ||
         (byte >= '[' && byte <= '`') || (byte >= '{' && byte <= '~');
}

std::string_view take_token(std::string_view& rest) noexcept {
  while (!rest.empty() && is_delimiter(rest.front())) {
    rest.remove_prefix(1);
  }
  std::size_t bytes = 0;
  while (bytes < rest.size() && !is_delimiter(rest[bytes])) {
    ++bytes;
  }
  return std::exchange(rest, rest.substr(bytes)).substr(0, bytes);
}

/// Reads leading digits, at least one and at most `digits_max`; the next character must not be a
/// digit.
std::optional<int> take_number(std::string_view& text, std::size_t digits_max) noexcept {
  std::size_t digits = 0;
  int number = 0;
  while (digits < text.size() && is_digit(text[digits])) {
    if (digits == digits_max) {
      return std::nullopt;
    }
    number = number * 10 + (text[digits++] - '0');
  }
  text.remove_prefix(digits);
  return digits == 0 ? std::nullopt : std::optional(number);
}

/// hms-time = time-field ":" time-field ":" time-field
std::optional<std::array<int, 3>> read_time(std::string_view text) noexcept {
  std::array<int, 3> time{};
  for (std::size_t part = 0; part < time.size(); ++part) {
    if (part != 0) {
      if (!text.starts_with(':')) {
        return std::nullopt;
      }
      text.remove_prefix(1);
    }
    const auto number = take_number(text, 2);
    if (!number) {
      return std::nullopt;
    }
    time[part] = *number;
  }
  return time;
}

std::optional<unsigned> read_month(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
  for (std::size_t index = 0; index < kMonths.size(); ++index) {
    if (equals_ignoring_case(text.substr(0, 3), kMonths[index])) {
      return static_cast<unsigned>(index + 1);
    }
  }
  return std::nullopt;
}

/// Two-digit years are those around 2000.
std::optional<int> read_year(std::string_view text) noexcept {
  std::string_view rest = text;
  const auto year = take_number(rest, 4);
  const std::size_t digits = text.size() - rest.size();
  if (!year || digits < 2) {
    return std::nullopt;
  }
  if (*year < 70) {
    return *year + 2000;
  }
  return *year < 100 ? *year + 1900 : *year;
}

/// Stores the token as the first part that it can be and that has not been found yet.
void take(Found& found, std::string_view token) noexcept {
  if (!found.time && (found.time = read_time(token))) {
    return;
  }
  std::string_view rest = token;
  if (!found.day && (found.day = take_number(rest, 2))) {
    return;
  }
  if (!found.month && (found.month = read_month(token))) {
    return;
  }
  if (!found.year) {
    found.year = read_year(token);
  }
}

}  // namespace

std::optional<std::int64_t> parse_cookie_date(std::string_view text) noexcept {
  Found found;
  while (!text.empty()) {
    take(found, take_token(text));
  }
  if (!found.time || !found.day || !found.month || !found.year) {
    return std::nullopt;
  }
  const auto [hours, minutes, seconds] = *found.time;
  const std::chrono::year_month_day date(std::chrono::year(*found.year),
                                         std::chrono::month(*found.month),
                                         std::chrono::day(static_cast<unsigned>(*found.day)));
  if (!date.ok() || *found.year < 1601 || hours > 23 || minutes > 59 || seconds > 59) {
    return std::nullopt;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

namespace {

/// default-path (RFC 6265, section 5.1.4): up to the last '/', without it.
std::string_view default_cookie_path(std::string_view path) noexcept {
  const std::size_t end = path.rfind('/');
  return end == 0 || end == std::string_view::npos ? "/" : path.substr(0, end);
}

/// Max-Age and Expires. Max-Age takes precedence.
struct CookieLifetime {
  std::optional<std::int64_t> max_age = {};
  std::optional<std::int64_t> expires = {};

  [[nodiscard]] std::int64_t ends(std::int64_t now) const noexcept {
    if (max_age) {
      const bool is_long = *max_age > ReceivedCookie::kForever - now;
      return is_long ? ReceivedCookie::kForever : now + *max_age;
    }
    return expires.value_or(ReceivedCookie::kForever);
  }
};

}  // namespace

std::optional<ReceivedCookie> read_set_cookie(std::string_view field_value,
                                              std::string_view request_path,
                                              std::int64_t now_seconds) {
  std::string_view rest = field_value;
  std::string_view pair = trim(take_until(rest, ";"));
  const bool has_name = pair.contains('=');
  const std::string_view name = trim(take_until(pair, "="));
  if (!has_name || name.empty() || !std::ranges::all_of(field_value, is_value_byte)) {
    return std::nullopt;
  }
  ReceivedCookie cookie{.name = std::string(name), .value = std::string(trim(pair))};
  CookieLifetime lifetime;
  std::string_view path;
  while (!rest.empty()) {
    std::string_view value = trim(take_until(rest, ";"));
    const std::string_view attribute = trim(take_until(value, "="));
    value = trim(value);
    if (equals_ignoring_case(attribute, "expires")) {
      const auto date = parse_cookie_date(value);
      lifetime.expires = date ? date : lifetime.expires;
    } else if (equals_ignoring_case(attribute, "max-age")) {
      const auto seconds = parse_int64(value);
      lifetime.max_age = seconds ? seconds : lifetime.max_age;
    } else if (equals_ignoring_case(attribute, "domain")) {
      value.remove_prefix(value.starts_with('.') ? 1 : 0);
      cookie.domain = in_lower_case(value);
    } else if (equals_ignoring_case(attribute, "path")) {
      path = value;
    } else if (equals_ignoring_case(attribute, "secure")) {
      cookie.is_secure = true;
    }
  }
  cookie.path = path.starts_with('/') ? path : default_cookie_path(request_path);
  cookie.expires = lifetime.ends(now_seconds);
  return cookie;
}

bool is_cookie_path_of(std::string_view cookie_path, std::string_view path) noexcept {
  return path.starts_with(cookie_path) &&
         (path.size() == cookie_path.size() || cookie_path.ends_with('/') ||
          path[cookie_path.size()] == '/');
}

}  // namespace eider
