#include "eider/client/cookie_jar.h"

#include <algorithm>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/ip_address.h"

namespace eider {

namespace {

/// domain-match (RFC 6265, section 5.1.3).
bool is_within(std::string_view host, std::string_view domain) noexcept {
  if (host == domain) {
    return true;
  }
  return host.size() > domain.size() && host.ends_with(domain) &&
         host[host.size() - domain.size() - 1] == '.' && !IpAddress::parse(host);
}

}  // namespace

CookieJar::CookieJar(CookieJarOptions options) : options_(std::move(options)) {}

/// Sets the domain of the cookie. Returns false if the host may not set the cookie.
bool CookieJar::settle_domain(const CookieSite& from, Cookie& cookie) const {
  const bool names_domain = !cookie.domain.empty();
  if (names_domain && !is_within(from.host, cookie.domain)) {
    return false;
  }
  const bool is_own = !names_domain || cookie.domain == from.host;
  const bool is_public = names_domain && options_.is_public_suffix != nullptr &&
                         options_.is_public_suffix(cookie.domain);
  if (is_public && !is_own) {
    return false;
  }
  const bool is_parent_known = options_.is_public_suffix != nullptr;
  cookie.is_host_only = !names_domain || is_public || (!is_own && !is_parent_known);
  if (cookie.is_host_only) {
    cookie.domain = from.host;
  }
  return true;
}

/// Returns whether a cookie obeys the prefix of its name. Servers may compare prefixes
/// case-insensitively, so browsers do, too (RFC 6265bis, sections 4.1.3 and 5.7).
bool keeps_its_prefix(std::string_view name, bool is_secure, bool is_for_all_paths_of_the_host) {
  const auto begins_with = [name](std::string_view prefix) {
    return equals_ignoring_case(name.substr(0, prefix.size()), prefix);
  };
  if (begins_with("__Host-")) {
    return is_secure && is_for_all_paths_of_the_host;
  }
  return !begins_with("__Secure-") || is_secure;
}

/// Returns whether the cookie would replace or precede one that was set over TLS. Otherwise a man
/// in the middle could do so with a cookie of a parent domain or subdomain (RFC 6265bis, section
/// 5.7).
bool CookieJar::would_hide_a_secure_one(const Cookie& cookie) const {
  const auto is_hidden = [&](const Cookie& other) {
    return other.is_secure && other.name == cookie.name &&
           is_cookie_path_of(other.path, cookie.path);
  };
  return std::ranges::any_of(domains_, [&](const auto& entry) {
    const auto& [domain, cookies] = entry;
    return (is_within(domain, cookie.domain) || is_within(cookie.domain, domain)) &&
           std::ranges::any_of(cookies, is_hidden);
  });
}

bool CookieJar::store(const CookieSite& from, std::string_view field_value,
                      std::int64_t now_seconds) {
  auto received = read_set_cookie(field_value, from.path, now_seconds);
  if (!received || received->name.size() + received->value.size() > options_.cookie_bytes_max) {
    return false;
  }
  const bool names_domain = !received->domain.empty();
  Cookie cookie{std::move(*received)};
  const bool has_room = std::min(options_.cookies_max, options_.per_domain_max) != 0;
  const bool is_allowed =
      has_room && settle_domain(from, cookie) && (from.is_secure || !cookie.is_secure) &&
      keeps_its_prefix(cookie.name, cookie.is_secure, !names_domain && cookie.path == "/") &&
      (from.is_secure || !would_hide_a_secure_one(cookie));
  if (!is_allowed) {
    return false;
  }
  // Replace a cookie of the same name, domain and path, even if the new one has expired. The order
  // is kept (RFC 6265, section 5.3, step 11.3).
  cookie.made = erase(cookie).value_or(serial_ + 1);
  if (cookie.expires <= now_seconds) {
    return false;
  }
  // Make room after the replacement, so that a new value does not remove another cookie.
  make_room(cookie.domain, now_seconds);
  cookie.set = ++serial_;
  domains_[cookie.domain].push_back(std::move(cookie));
  ++size_;
  return true;
}

/// returns  the creation number of the erased cookie
std::optional<std::uint64_t> CookieJar::erase(const Cookie& like) {
  const auto entry = domains_.find(like.domain);
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
  // Otherwise servers that set and delete cookies would fill the memory with empty entries.
  if (cookies.empty()) {
    domains_.erase(entry);
  }
  return made;
}

void CookieJar::drop_oldest(std::vector<Cookie>& cookies) noexcept {
  const auto oldest = std::ranges::min_element(cookies, {}, &Cookie::set);
  cookies.erase(oldest);
  --size_;
}

/// Removes cookies in the order of RFC 6265, section 5.3: expired ones, then those of a domain with
/// too many, then any.
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

std::string CookieJar::header_for(const CookieSite& to, std::int64_t now_seconds) const {
  std::vector<const Cookie*> fitting;
  for (std::string_view domain = to.host; !domain.empty();) {
    const auto found = domains_.find(std::string(domain));
    // An IP address has no parent domains; `is_within` handles that.
    if (found != domains_.end() && is_within(to.host, domain)) {
      for (const Cookie& cookie : found->second) {
        const bool fits = cookie.expires > now_seconds && (to.is_secure || !cookie.is_secure) &&
                          (!cookie.is_host_only || domain == to.host) &&
                          is_cookie_path_of(cookie.path, to.path);
        if (fits) {
          fitting.push_back(&cookie);
        }
      }
    }
    domain.remove_prefix(std::min(domain.find('.'), domain.size() - 1) + 1);
  }
  // "Cookies with longer paths are listed before cookies with shorter paths", then by age.
  std::ranges::sort(fitting, [](const Cookie* one, const Cookie* other) {
    return std::pair(other->path.size(), one->made) < std::pair(one->path.size(), other->made);
  });
  std::string field;
  for (const Cookie* cookie : fitting) {
    if (field.size() + cookie->name.size() + cookie->value.size() + 3 > options_.header_bytes_max) {
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
