// Cookies (RFC 6265): reads the Cookie header, writes Set-Cookie values.
// Layering: must not encode or decode values: values that a cookie cannot contain are rejected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

struct CookiePair {
  std::string_view name;
  std::string_view value;
};

/// Reads the pairs of a Cookie header in order; malformed ones are skipped.
///
///     CookieReader cookies(value);
///     while (auto cookie = cookies.next()) …
class CookieReader {
 public:
  explicit CookieReader(std::string_view field_value) noexcept : rest_(field_value) {}

  /// Returns the next pair without quotes around the value; nothing at the end.
  [[nodiscard]] std::optional<CookiePair> next() noexcept;

 private:
  std::string_view rest_;
};

/// Returns the value of the first cookie with that name (case-sensitive).
[[nodiscard]] std::optional<std::string_view> find_cookie(std::string_view field_value,
                                                          std::string_view name) noexcept;

enum class SameSite : std::uint8_t { strict, lax, none };

/// A cookie to set, with safe attributes by default.
struct SetCookie {
  std::string name;
  std::string value;
  std::string path = "/";
  /// Empty: only the host that sets the cookie.
  std::string domain = {};
  /// Seconds; 0 or less deletes the cookie; nothing: until the browser closes.
  std::optional<std::int64_t> max_age_s = {};
  SameSite same_site = SameSite::lax;
  bool secure = true;
  bool http_only = true;
};

/// Returns the value of the Set-Cookie header.
///
/// returns  nothing if the name is not a token, the value has a byte outside cookie-octet, path or
///          domain has a control character or ';', SameSite=None is without Secure, or a __Host- or
///          __Secure- name violates its own rules
/// source   RFC 6265, section 4.1.1
[[nodiscard]] std::optional<std::string> to_header_value(const SetCookie& cookie);

}  // namespace eider
