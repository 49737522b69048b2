#include "eider/protocols/http/cookie.h"

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"

namespace eider {

namespace {

/// cookie-octet: %x21 / %x23-2B / %x2D-3A / %x3C-5B / %x5D-7E (RFC 6265, section 4.1.1).
bool is_cookie_octet(char byte) noexcept {
  return byte > 0x20 && byte < 0x7F && byte != '"' && byte != ',' && byte != ';' && byte != '\\';
}

bool is_cookie_value(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(), is_cookie_octet);
}

/// av-octet: any CHAR except CTLs or ";" (RFC 6265, section 4.1.1).
bool is_attribute_value(std::string_view text) noexcept {
  return std::all_of(text.begin(), text.end(),
                     [](char byte) { return byte >= 0x20 && byte < 0x7F && byte != ';'; });
}

std::string_view unquote(std::string_view value) noexcept {
  const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

/// cookie-pair: cookie-name "=" cookie-value.
std::optional<CookiePair> read_pair(std::string_view pair) noexcept {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) {
    return std::nullopt;
  }
  // RFC 6265, 4.1.1 allows quotes around a value; they are not part of it.
  const CookiePair cookie{pair.substr(0, equals), unquote(pair.substr(equals + 1))};
  const bool is_valid = is_token(cookie.name) && is_cookie_value(cookie.value);
  return is_valid ? std::optional<CookiePair>(cookie) : std::nullopt;
}

/// Checks the requirements of a name's prefix (RFC 6265bis, section 4.1.3).
bool keeps_its_prefix(const SetCookie& cookie) noexcept {
  const auto begins_with = [&cookie](std::string_view prefix) {
    return equals_ignoring_case(std::string_view(cookie.name).substr(0, prefix.size()), prefix);
  };
  if (begins_with("__Host-")) {
    return cookie.secure && cookie.domain.empty() && cookie.path == "/";
  }
  return !begins_with("__Secure-") || cookie.secure;
}

bool is_valid(const SetCookie& cookie) noexcept {
  // Browsers reject a cookie with SameSite=None and without Secure, and one that violates its
  // prefix.
  return is_token(cookie.name) && is_cookie_value(cookie.value) &&
         is_attribute_value(cookie.path) && is_attribute_value(cookie.domain) &&
         (cookie.same_site != SameSite::none || cookie.secure) && keeps_its_prefix(cookie);
}

std::string_view to_attribute(SameSite same_site) noexcept {
  switch (same_site) {
    case SameSite::strict:
      return "; SameSite=Strict";
    case SameSite::lax:
      return "; SameSite=Lax";
    case SameSite::none:
      return "; SameSite=None";
  }
  return {};
}

}  // namespace

std::optional<CookiePair> CookieReader::next() noexcept {
  while (!rest_.empty()) {
    // A malformed pair does not affect the pairs after it.
    const std::string_view part = rest_.substr(0, rest_.find(';'));
    rest_.remove_prefix(part.size() == rest_.size() ? part.size() : part.size() + 1);
    const std::optional<CookiePair> cookie = read_pair(trim(part));
    if (cookie.has_value()) {
      return cookie;
    }
  }
  return std::nullopt;
}

std::optional<std::string_view> find_cookie(std::string_view field_value,
                                            std::string_view name) noexcept {
  CookieReader cookies(field_value);
  while (const std::optional<CookiePair> cookie = cookies.next()) {
    if (cookie->name == name) {
      return cookie->value;
    }
  }
  return std::nullopt;
}

std::optional<std::string> to_header_value(const SetCookie& cookie) {
  if (!is_valid(cookie)) {
    return std::nullopt;
  }
  std::string text = cookie.name + "=" + cookie.value;
  if (!cookie.path.empty()) {
    text.append("; Path=").append(cookie.path);
  }
  if (!cookie.domain.empty()) {
    text.append("; Domain=").append(cookie.domain);
  }
  if (cookie.max_age_s.has_value()) {
    text.append("; Max-Age=").append(std::to_string(*cookie.max_age_s));
  }
  text.append(to_attribute(cookie.same_site));
  text.append(cookie.secure ? "; Secure" : "");
  text.append(cookie.http_only ? "; HttpOnly" : "");
  return text;
}

}  // namespace eider
