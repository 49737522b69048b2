// Parses Set-Cookie headers as a client (RFC 6265, section 5).
// Layering: must not keep cookies, nor decide which host may set which.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

struct ReceivedCookie {
  /// The `expires` of a cookie without a date: it does not expire.
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  std::string name;
  std::string value;
  std::string domain = {};  // in lowercase; empty: only the host that sets it
  std::string path = {};
  std::int64_t expires = kForever;  // seconds since 1970, from Max-Age or else Expires
  bool is_secure = false;
};

/// Parses the value of one Set-Cookie field. If an attribute occurs twice, the last valid one
/// counts.
///
/// request_path  without the query; the cookie's default path is derived from it
/// returns       nothing if there is no name, or if there is a control byte (RFC 6265bis, 5.6)
/// source        RFC 6265, sections 5.2 and 5.3
[[nodiscard]] std::optional<ReceivedCookie> read_set_cookie(std::string_view field_value,
                                                            std::string_view request_path,
                                                            std::int64_t now_seconds);

/// Returns whether a cookie with that path is sent with a request to `path` (RFC 6265, section
/// 5.1.4).
[[nodiscard]] bool is_cookie_path_of(std::string_view cookie_path, std::string_view path) noexcept;

/// Parses the date of an Expires attribute, as leniently as browsers do.
///
/// returns  seconds since 1970, or nothing if it contains no date
/// source   RFC 6265, section 5.1.1
[[nodiscard]] std::optional<std::int64_t> parse_cookie_date(std::string_view text) noexcept;

}  // namespace eider
