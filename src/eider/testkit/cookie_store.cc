#include "eider/testkit/cookie_store.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/date.h"
#include "eider/testkit/loop_sim.h"

namespace eider::detail::testkit {

namespace {

constexpr std::int64_t kAgeMax = 400 * 24 * 3600;  // as browsers bound it, and no clock overflows

/// RFC 6265, section 5.1.4.
std::string default_path_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == path.npos ? "/" : std::string(path.substr(0, slash));
}

bool is_below(std::string_view path, std::string_view cookie_path) noexcept {
  return path.starts_with(cookie_path) &&
         (path.size() == cookie_path.size() || cookie_path.ends_with('/') ||
          path[cookie_path.size()] == '/');
}

/// What stands ahead of `mark`, or all; `text` goes on behind it.
std::string_view take_until(std::string_view& text, char mark) noexcept {
  const std::string_view taken = text.substr(0, text.find(mark));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return trim(taken);
}

}  // namespace

void CookieStore::store(std::string_view field_value, std::string_view path, Instant now) {
  std::string_view pair = take_until(field_value, ';');
  const std::string_view name = take_until(pair, '=');
  Cookie cookie{.name = std::string(name),
                .value = std::string(trim(pair)),
                .path = default_path_of(path),
                .ends = std::nullopt};
  while (!field_value.empty()) {
    take_attribute(cookie, take_until(field_value, ';'), now);
  }
  std::erase_if(cookies_, [&cookie](const Cookie& other) {
    return other.name == cookie.name && other.path == cookie.path;
  });
  if (!cookie.ends || *cookie.ends > now) {
    cookies_.push_back(std::move(cookie));
  }
}

/// Max-Age goes before Expires.
void CookieStore::take_attribute(Cookie& cookie, std::string_view attribute, Instant now) const {
  const std::string_view name = take_until(attribute, '=');
  if (equals_ignoring_case(name, "Path") && attribute.starts_with('/')) {
    cookie.path = attribute;
  } else if (equals_ignoring_case(name, "Max-Age")) {
    if (const auto seconds = parse_int64(attribute)) {
      cookie.ends = now + std::chrono::seconds(std::clamp<std::int64_t>(*seconds, -1, kAgeMax));
    }
  } else if (equals_ignoring_case(name, "Expires") && !cookie.ends) {
    const std::int64_t now_seconds = wall_seconds_at(now);
    const auto date = parse_date(attribute, now_seconds);
    if (date) {
      cookie.ends =
          now + std::chrono::seconds(std::clamp<std::int64_t>(*date - now_seconds, -1, kAgeMax));
    }
  }
}

std::string CookieStore::field_for(std::string_view path, Instant now) const {
  std::vector<const Cookie*> fitting;
  for (const Cookie& cookie : cookies_) {
    if (is_below(path, cookie.path) && (!cookie.ends || *cookie.ends > now)) {
      const auto behind = std::ranges::find_if(fitting, [&cookie](const Cookie* other) {
        return other->path.size() < cookie.path.size();
      });
      fitting.insert(behind, &cookie);
    }
  }
  std::string field;
  for (const Cookie* const cookie : fitting) {
    field.append(field.empty() ? "" : "; ").append(cookie->name).append("=").append(cookie->value);
  }
  return field;
}

}  // namespace eider::detail::testkit
