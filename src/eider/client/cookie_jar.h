// CookieJar: stores cookies, and selects those for a request (RFC 6265, section 5).
// Layering: must not be shared between threads, and writes nothing to disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eider/protocols/http/received_cookie.h"

namespace eider {

/// Returns whether `domain` is a public suffix, by the system's list of publicsuffix.org: "com",
/// "co.uk", "github.io", and each name of one label that is not in the list.
///
/// domain  in lowercase
[[nodiscard]] bool is_public_suffix(std::string_view domain);

struct CookieJarOptions {
  std::size_t per_domain_max = 50;
  std::size_t cookies_max = 3000;
  /// Maximum length of the name and value of a cookie.
  std::size_t cookie_bytes_max = 4096;
  /// Maximum length of a Cookie header; further cookies are not sent.
  std::size_t header_bytes_max = 8192;
  /// Returns whether a domain is a public suffix, for which no cookie can be set. Null: a cookie
  /// for a parent domain is stored only for the host that set it; other hosts of the domain do not
  /// get it.
  std::function<bool(std::string_view domain)> is_public_suffix = eider::is_public_suffix;
};

/// The destination of a request.
///
/// host  in lowercase, without brackets
/// path  without the query, at least "/"
struct CookieSite {
  std::string_view host;
  std::string_view path;
  bool is_secure = false;
};

class CookieJar {
 public:
  explicit CookieJar(CookieJarOptions options = {});

  /// Stores the cookie of one Set-Cookie header.
  ///
  /// returns  whether it was stored: false if it is malformed, too long, for another domain,
  ///          against the rules of its name (__Host-, __Secure-), or Secure without TLS; and if it
  ///          deletes a cookie
  bool store(const CookieSite& from, std::string_view field_value, std::int64_t now_seconds);

  /// Returns the value of the Cookie header: "a=b; c=d"; empty if there are no cookies.
  [[nodiscard]] std::string header_for(const CookieSite& to, std::int64_t now_seconds) const;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void clear() noexcept;

 private:
  struct Cookie : ReceivedCookie {
    std::uint64_t made = 0;  // the order in which they are sent
    std::uint64_t set = 0;   // the order in which they are removed; a new value changes only this
    bool is_host_only = true;
  };

  [[nodiscard]] bool settle_domain(const CookieSite& from, Cookie& cookie) const;
  [[nodiscard]] bool would_hide_a_secure_one(const Cookie& cookie) const;
  void make_room(const std::string& domain, std::int64_t now_seconds);
  void drop_oldest(std::vector<Cookie>& cookies) noexcept;
  std::optional<std::uint64_t> erase(const Cookie& like);

  CookieJarOptions options_;
  std::unordered_map<std::string, std::vector<Cookie>> domains_;
  std::size_t size_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace eider
