// Cookies (RFC 6265): read from a Cookie field, written as a Set-Cookie value.
// Must not encode or decode values: what cannot stand in a cookie is refused.
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

/// The pairs of one Cookie field value, in their order; malformed ones are passed over.
///
///     CookieReader cookies(value);
///     while (auto cookie = cookies.next()) …
class CookieReader {
 public:
  explicit CookieReader(std::string_view field_value) noexcept : rest_(field_value) {}

  /// The next pair, quotes around the value removed; nothing at the end.
  [[nodiscard]] std::optional<CookiePair> next() noexcept;

 private:
  std::string_view rest_;
};

/// The value of the first cookie of that name (names have case).
[[nodiscard]] std::optional<std::string_view> find_cookie(std::string_view field_value,
                                                          std::string_view name) noexcept;

enum class SameSite : std::uint8_t { strict, lax, none };

/// A cookie to be set, with the attributes that are safe unless told otherwise.
struct SetCookie {
  std::string name;
  std::string value;
  std::string path = "/";
  /// Empty: only the host that sets it.
  std::string domain = {};
  /// Seconds; 0 or less deletes the cookie; nothing: until the browser closes.
  std::optional<std::int64_t> max_age_s = {};
  SameSite same_site = SameSite::lax;
  bool secure = true;
  bool http_only = true;
};

/// The Set-Cookie field's value.
///
/// returns  nothing when the name is no token, the value has a byte outside cookie-octet, path or
///          domain has a control byte or ';', SameSite=None is without Secure, or a __Host- or
///          __Secure- name breaks its own rules
/// source   RFC 6265, section 4.1.1
[[nodiscard]] std::optional<std::string> to_field_value(const SetCookie& cookie);

}  // namespace eider
