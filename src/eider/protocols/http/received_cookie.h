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
  /// Of a cookie without a date: it does not end.
  static constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

  std::string name;
  std::string value;
  std::string domain = {};  // in lower case; empty: the host alone that sets it
  std::string path = {};
  std::int64_t expires = kForever;  // seconds since 1970, by Max-Age or else Expires
  bool is_secure = false;
};

/// Reads the value of one Set-Cookie field. Of an attribute that comes twice the last one counts
/// that can be read.
///
/// request_path  without the query; the cookie's path is derived from it, if the field has none
/// returns       nothing if there is no name, or a control byte anywhere (RFC 6265bis, 5.6)
/// source        RFC 6265, sections 5.2 and 5.3
[[nodiscard]] std::optional<ReceivedCookie> read_set_cookie(std::string_view field_value,
                                                            std::string_view request_path,
                                                            std::int64_t now_seconds);

/// Whether a cookie with that path is sent with a request to `path` (RFC 6265, section 5.1.4).
[[nodiscard]] bool is_cookie_path_of(std::string_view cookie_path, std::string_view path) noexcept;

/// The date of an Expires attribute, read as loosely as browsers do.
///
/// returns  seconds since 1970; nothing when there is no date in it
/// source   RFC 6265, section 5.1.1
[[nodiscard]] std::optional<std::int64_t> parse_cookie_date(std::string_view text) noexcept;

}  // namespace eider
