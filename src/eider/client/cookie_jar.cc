#include "eider/client/cookie_jar.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/ip_address.h"

namespace eider {

namespace {

/// Of a cookie without a date: as long as the jar.
constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

/// domain-match (RFC 6265, section 5.1.3).
bool is_within(std::string_view host, std::string_view domain) noexcept {
  if (host == domain) {
    return true;
  }
  return host.size() > domain.size() && host.ends_with(domain) &&
         host[host.size() - domain.size() - 1] == '.' && !IpAddress::parse(host);
}

/// path-match (RFC 6265, section 5.1.4).
bool is_under(std::string_view path, std::string_view prefix) noexcept {
  if (!path.starts_with(prefix)) {
    return false;
  }
  return path.size() == prefix.size() || prefix.ends_with('/') || path[prefix.size()] == '/';
}

/// default-path (RFC 6265, section 5.1.4): up to the last '/', without it.
std::string_view default_path(std::string_view path) noexcept {
  const std::size_t end = path.rfind('/');
  return end == 0 || end == std::string_view::npos ? "/" : path.substr(0, end);
}

/// What stands before `mark`, trimmed; `rest` is what stands behind it.
std::string_view take_until(std::string_view& rest, char mark) noexcept {
  const std::size_t end = rest.find(mark);
  const std::string_view part = trim(rest.substr(0, end));
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

/// Max-Age and Expires, of which the former counts.
struct Lifetime {
  std::optional<std::int64_t> max_age;
  std::optional<std::int64_t> expires;

  [[nodiscard]] std::int64_t ends(std::int64_t now) const noexcept {
    if (max_age) {
      const bool is_long = *max_age > kForever - now;
      return is_long ? kForever : now + *max_age;
    }
    return expires.value_or(kForever);
  }
};

}  // namespace

/// A field taken apart.
struct CookieJar::Parsed {
  Cookie cookie;
  std::string domain;  // where it is kept
  bool names_domain = false;
};

CookieJar::CookieJar(CookieJarOptions options) : options_(std::move(options)) {}

std::optional<CookieJar::Parsed> CookieJar::parse(const CookieSite& from,
                                                  std::string_view field_value,
                                                  std::int64_t now_seconds) const {
  std::string_view rest = field_value;
  std::string_view pair = take_until(rest, ';');
  const bool has_name = pair.contains('=');
  const std::string_view name = take_until(pair, '=');
  Parsed parsed{{std::string(name), std::string(trim(pair)), {}}, {}};
  // A control byte anywhere makes the whole field none (RFC 6265bis, 5.6).
  if (!has_name || name.empty() || !std::ranges::all_of(field_value, is_value_byte)) {
    return std::nullopt;
  }
  Lifetime lifetime;
  std::string_view path;
  // Of an attribute that comes twice the last one counts (RFC 6265, section 5.3), where it can be
  // read (section 5.2).
  while (!rest.empty()) {
    std::string_view value = take_until(rest, ';');
    const std::string_view attribute = take_until(value, '=');
    value = trim(value);
    if (equals_ignoring_case(attribute, "expires")) {
      const auto date = parse_cookie_date(value);
      lifetime.expires = date ? date : lifetime.expires;
    } else if (equals_ignoring_case(attribute, "max-age")) {
      const auto seconds = parse_int64(value);
      lifetime.max_age = seconds ? seconds : lifetime.max_age;
    } else if (equals_ignoring_case(attribute, "domain")) {
      value.remove_prefix(value.starts_with('.') ? 1 : 0);
      parsed.domain = lower(value);
    } else if (equals_ignoring_case(attribute, "path")) {
      path = value;
    } else if (equals_ignoring_case(attribute, "secure")) {
      parsed.cookie.is_secure = true;
    }
  }
  parsed.names_domain = !parsed.domain.empty();
  parsed.cookie.path = path.starts_with('/') ? path : default_path(from.path);
  parsed.cookie.expires = lifetime.ends(now_seconds);
  return parsed;
}

/// Whose the cookie is. False when the host may not set it.
bool CookieJar::settle_domain(const CookieSite& from, Parsed& parsed) const {
  if (parsed.names_domain && !is_within(from.host, parsed.domain)) {
    return false;
  }
  const bool is_own = !parsed.names_domain || parsed.domain == from.host;
  const bool is_public = parsed.names_domain && options_.is_public_suffix != nullptr &&
                         options_.is_public_suffix(parsed.domain);
  if (is_public && !is_own) {
    return false;
  }
  const bool is_parent_known = options_.is_public_suffix != nullptr;
  parsed.cookie.is_host_only = !parsed.names_domain || is_public || (!is_own && !is_parent_known);
  if (parsed.cookie.is_host_only) {
    parsed.domain = from.host;
  }
  return true;
}

/// Returns whether a cookie keeps what the prefix of its name promises. Servers may compare
/// prefixes without case, so browsers do, too (RFC 6265bis, sections 4.1.3 and 5.7).
bool keeps_its_prefix(std::string_view name, bool is_secure, bool is_for_all_paths_of_the_host) {
  const auto begins_with = [name](std::string_view prefix) {
    return equals_ignoring_case(name.substr(0, prefix.size()), prefix);
  };
  if (begins_with("__Host-")) {
    return is_secure && is_for_all_paths_of_the_host;
  }
  return !begins_with("__Secure-") || is_secure;
}

/// Somebody in between could otherwise replace what was set over TLS, or stand in front of it with
/// one of a domain above or below (RFC 6265bis, section 5.7).
bool CookieJar::would_hide_a_secure_one(const Parsed& parsed) const {
  const auto is_hidden = [&](const Cookie& other) {
    return other.is_secure && other.name == parsed.cookie.name &&
           is_under(parsed.cookie.path, other.path);
  };
  return std::ranges::any_of(domains_, [&](const auto& entry) {
    const auto& [domain, cookies] = entry;
    return (is_within(domain, parsed.domain) || is_within(parsed.domain, domain)) &&
           std::ranges::any_of(cookies, is_hidden);
  });
}

bool CookieJar::store(const CookieSite& from, std::string_view field_value,
                      std::int64_t now_seconds) {
  auto parsed = parse(from, field_value, now_seconds);
  if (!parsed ||
      parsed->cookie.name.size() + parsed->cookie.value.size() > options_.cookie_bytes_max) {
    return false;
  }
  Cookie& cookie = parsed->cookie;
  const bool has_room = std::min(options_.cookies_max, options_.per_domain_max) != 0;
  const bool is_allowed = has_room && settle_domain(from, *parsed) &&
                          (from.is_secure || !cookie.is_secure) &&
                          keeps_its_prefix(cookie.name, cookie.is_secure,
                                           !parsed->names_domain && cookie.path == "/") &&
                          (from.is_secure || !would_hide_a_secure_one(*parsed));
  if (!is_allowed) {
    return false;
  }
  // A cookie of the same name, domain and path is replaced, also by one that has expired. Its place
  // in the order stays (RFC 6265, section 5.3, step 11.3).
  cookie.made = erase(parsed->domain, cookie).value_or(serial_ + 1);
  if (cookie.expires <= now_seconds) {
    return false;
  }
  // Room is made behind the replacement, so that a new value drops no other cookie.
  make_room(parsed->domain, now_seconds);
  cookie.set = ++serial_;
  domains_[parsed->domain].push_back(std::move(cookie));
  ++size_;
  return true;
}

/// returns  when the one that has gone was made
std::optional<std::uint64_t> CookieJar::erase(const std::string& domain, const Cookie& like) {
  const auto entry = domains_.find(domain);
  if (entry == domains_.end()) {
    return std::nullopt;
  }
  std::vector<Cookie>& cookies = entry->second;
  const auto found = std::ranges::find_if(cookies, [&](const Cookie& cookie) {
    return cookie.name == like.name && cookie.path == like.path;
  });
  if (found == cookies.end()) {
    return std::nullopt;
  }
  const std::uint64_t made = found->made;
  cookies.erase(found);
  --size_;
  if (cookies.empty()) {  // servers that set and delete would fill the memory with these
    domains_.erase(entry);
  }
  return made;
}

void CookieJar::drop_oldest(std::vector<Cookie>& cookies) noexcept {
  const auto oldest = std::ranges::min_element(cookies, {}, &Cookie::set);
  cookies.erase(oldest);
  --size_;
}

/// RFC 6265, section 5.3: expired ones go first, then those of a domain that has too many, then
/// any.
void CookieJar::make_room(const std::string& domain, std::int64_t now_seconds) {
  if (size_ >= options_.cookies_max) {
    for (auto& [name, cookies] : domains_) {
      size_ -= std::erase_if(
          cookies, [now_seconds](const Cookie& one) { return one.expires <= now_seconds; });
    }
    std::erase_if(domains_, [](const auto& entry) { return entry.second.empty(); });
  }
  const auto found = domains_.find(domain);
  if (found != domains_.end() && found->second.size() >= options_.per_domain_max) {
    drop_oldest(found->second);
  }
  if (size_ >= options_.cookies_max) {
    const auto largest = std::ranges::max_element(
        domains_, {}, [](const auto& entry) { return entry.second.size(); });
    drop_oldest(largest->second);
  }
}

std::string CookieJar::field_for(const CookieSite& to, std::int64_t now_seconds) const {
  std::vector<const Cookie*> fitting;
  for (std::string_view domain = to.host; !domain.empty();) {
    const auto found = domains_.find(std::string(domain));
    // An IP address has no parents, which `is_within` sees to.
    if (found != domains_.end() && is_within(to.host, domain)) {
      for (const Cookie& cookie : found->second) {
        const bool fits = cookie.expires > now_seconds && (to.is_secure || !cookie.is_secure) &&
                          (!cookie.is_host_only || domain == to.host) &&
                          is_under(to.path, cookie.path);
        if (fits) {
          fitting.push_back(&cookie);
        }
      }
    }
    take_until(domain, '.');
  }
  // "Cookies with longer paths are listed before cookies with shorter paths", then by age.
  std::ranges::sort(fitting, [](const Cookie* one, const Cookie* other) {
    return std::pair(other->path.size(), one->made) < std::pair(one->path.size(), other->made);
  });
  std::string field;
  for (const Cookie* cookie : fitting) {
    if (field.size() + cookie->name.size() + cookie->value.size() + 3 > options_.field_bytes_max) {
      break;
    }
    field.append(field.empty() ? "" : "; ").append(cookie->name).append("=").append(cookie->value);
  }
  return field;
}

void CookieJar::clear() noexcept {
  domains_.clear();
  size_ = 0;
}

}  // namespace eider
