// The parts of an http:// or https:// URL, and relative references (RFC 3986).
// Layering: must not resolve the host, nor decode anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::detail::http {

inline constexpr std::size_t kUrlBytesMax = 8192;

/// The parts of an http or https URL.
///
/// host       in lowercase: "127.0.0.1", "::1" (without brackets) or a name
/// authority  for the Host header: with brackets, and with the port unless it is the default
/// target     path and query; at least "/"
struct HttpUrl {
  bool is_secure = false;
  std::uint16_t port = 80;
  std::string host;
  std::string authority;
  std::string target;

  /// Returns "http://example.com": URLs with the same origin share credentials.
  [[nodiscard]] std::string origin() const;
  [[nodiscard]] std::string to_text() const { return origin() + target; }
  /// Returns the path without the query.
  [[nodiscard]] std::string_view path() const noexcept;
  [[nodiscard]] bool has_origin_of(const HttpUrl& other) const noexcept {
    return is_secure == other.is_secure && authority == other.authority;
  }
};

/// Parses and normalizes a URL like browsers: bytes that a URL must not contain are
/// percent-encoded, "." and ".." segments and one dot at the end of the host are removed. A
/// fragment is dropped.
///
/// errors   a sentence: another scheme, no host, a user name, an invalid port, a control character,
///          a '%' without two digits, or over kUrlBytesMax
/// source   RFC 3986, sections 2.1, 3.1 to 3.4 and 6.2.2.1; RFC 9110, section 4.2
[[nodiscard]] Result<HttpUrl, std::string_view> read_http_url(std::string_view url);

/// Resolves the value of a Location header relative to `base`.
///
/// errors   the same as for read_http_url
/// source   RFC 3986, section 5.2
[[nodiscard]] Result<HttpUrl, std::string_view> resolve_reference(const HttpUrl& base,
                                                                  std::string_view reference);

}  // namespace eider::detail::http
