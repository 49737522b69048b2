// The cookies that servers have set, and which of them go back to whom (RFC 6265, section 5).
// Must not be shared between threads, and writes nothing to disk.
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

/// Whether everybody may have a name under `domain`, by the list at publicsuffix.org that the
/// system carries: "com", "co.uk", "github.io", and each name of one label that is not in it.
///
/// domain  in lower case
[[nodiscard]] bool is_public_suffix(std::string_view domain);

struct CookieJarOptions {
  std::size_t per_domain_max = 50;
  std::size_t cookies_max = 3000;
  /// Name and value of one.
  std::size_t cookie_bytes_max = 4096;
  /// Of one Cookie field; what comes behind is left out.
  std::size_t field_bytes_max = 8192;
  /// Whether everybody may have a name under this domain, so that no cookie may be for all of it.
  /// Null: a cookie for a parent domain is kept for the host alone that has set it, and other hosts
  /// of the domain do not get it.
  std::function<bool(std::string_view domain)> is_public_suffix = eider::is_public_suffix;
};

/// Where a request goes.
///
/// host  in lower case, without brackets
/// path  without the query, at least "/"
struct CookieSite {
  std::string_view host;
  std::string_view path;
  bool is_secure = false;
};

class CookieJar {
 public:
  explicit CookieJar(CookieJarOptions options = {});

  /// Takes the value of one Set-Cookie field.
  ///
  /// returns  whether it was kept: false for what is malformed, too long, for another domain,
  /// against
  ///          the promises of its name (__Host-, __Secure-), or wrongly Secure; and when it deletes
  bool store(const CookieSite& from, std::string_view field_value, std::int64_t now_seconds);

  /// The value of the Cookie field: "a=b; c=d"; empty when there is none.
  [[nodiscard]] std::string field_for(const CookieSite& to, std::int64_t now_seconds) const;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void clear() noexcept;

 private:
  struct Cookie : ReceivedCookie {
    std::uint64_t made = 0;  // they are sent in this order
    std::uint64_t set = 0;   // and dropped in this one; a new value leaves `made` as it is
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
