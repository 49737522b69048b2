// An http:// or https:// URL taken apart for a request, and references to others (RFC 3986).
// Must not resolve its host, and decodes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::detail::http {

inline constexpr std::size_t kUrlBytesMax = 8192;

/// host       in lower case: "127.0.0.1", "::1" (without brackets) or a name
/// authority  for the Host field: with brackets, and with the port unless it is the scheme's own
/// target     path and query; at least "/"
struct HttpUrl {
  bool is_secure = false;
  std::uint16_t port = 80;
  std::string host;
  std::string authority;
  std::string target;

  /// "http://example.com": of equal origins, credentials of one are for the other.
  [[nodiscard]] std::string origin() const;
  [[nodiscard]] std::string to_text() const { return origin() + target; }
  /// Without the query.
  [[nodiscard]] std::string_view path() const noexcept;
  [[nodiscard]] bool has_origin_of(const HttpUrl& other) const noexcept {
    return is_secure == other.is_secure && authority == other.authority;
  }
};

/// Normalizes as browsers do: bytes that no URL may hold are percent-encoded, "." and ".." segments
/// and one dot at the end of the host are removed. A fragment is dropped.
///
/// errors   a sentence: another scheme, no host, a user, a port that is none, a control byte, a '%'
///          without two digits, or over kUrlBytesMax
/// source   RFC 3986, sections 2.1, 3.1 to 3.4 and 6.2.2.1; RFC 9110, section 4.2
[[nodiscard]] Result<HttpUrl, std::string_view> read_http_url(std::string_view url);

/// Where a reference leads that stands in a Location field of `base`.
///
/// errors   as read_http_url
/// source   RFC 3986, section 5.2
[[nodiscard]] Result<HttpUrl, std::string_view> resolve_reference(const HttpUrl& base,
                                                                  std::string_view reference);

}  // namespace eider::detail::http
