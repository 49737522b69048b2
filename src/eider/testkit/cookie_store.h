// The cookies of one host, as a browser in a test keeps them (RFC 6265, section 5).
// Must not know other hosts: a client of the real world has a CookieJar (client/cookie_jar.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/time.h"

namespace eider::detail::testkit {

class CookieStore {
 public:
  /// Takes the value of one Set-Cookie field of an answer.
  ///
  /// path  of the request, without its query
  void store(std::string_view field_value, std::string_view path, Instant now);
  /// The value of the Cookie field, longer paths first; empty when there is none. Whether they are
  /// for TLS alone does not count: a test's request passes for one.
  [[nodiscard]] std::string field_for(std::string_view path, Instant now) const;

 private:
  struct Cookie {
    std::string name;
    std::string value;
    std::string path;
    std::optional<Instant> ends;
  };

  void take_attribute(Cookie& cookie, std::string_view attribute, Instant now) const;

  std::vector<Cookie> cookies_;
};

}  // namespace eider::detail::testkit
