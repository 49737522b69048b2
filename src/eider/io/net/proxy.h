// The proxy of a request, and its settings in options and environment variables.
// Layering: must not communicate with a proxy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/protocols/http/cidr.h"

namespace eider::net {

enum class ProxyKind : std::uint8_t { http, socks5 };

struct Proxy {
  ProxyKind kind = ProxyKind::http;
  std::string host;
  std::uint16_t port = 0;
  std::string user;
  std::string password;

  /// Returns "Basic …" for Proxy-Authorization; empty without a user.
  [[nodiscard]] std::string credentials() const;
};

/// Parses "http://user:password@host:3128", "socks5://host:1080" (also socks5h: the proxy always
/// resolves names), or "host:3128". User and password are percent-encoded.
///
/// errors  a sentence
[[nodiscard]] Result<Proxy, std::string_view> read_proxy(std::string_view text);

/// Hosts without a proxy: "localhost, 10.0.0.0/8, .example.com, other.org:8080, *".
class ProxyExceptions {
 public:
  explicit ProxyExceptions(std::string_view list);
  /// Returns whether a host is an exception. A name includes all its subdomains.
  [[nodiscard]] bool cover(std::string_view host, std::uint16_t port) const noexcept;

 private:
  struct Name {
    std::string name;
    std::uint16_t port;  // 0: all ports
  };
  std::vector<Name> names_;
  std::vector<Cidr> blocks_;
  bool covers_all_ = false;
};

/// The URLs of the proxies without TLS and with TLS, empty for none, and the hosts without a proxy.
struct ProxyUrls {
  std::string plain = {};
  std::string secure = {};
  std::string exceptions = {};
};

struct Route;

class Proxies {
 public:
  explicit Proxies(const ProxyUrls& urls);

  /// Returns the proxy for a route's host and port, with or without TLS. Null: none.
  [[nodiscard]] std::shared_ptr<const Proxy> proxy_for(const Route& route) const noexcept;
  /// Returns the error in the URLs; empty if there is none.
  [[nodiscard]] std::string_view fault() const noexcept { return fault_; }

 private:
  [[nodiscard]] std::shared_ptr<const Proxy> read(const std::string& text);

  std::string_view fault_;
  ProxyExceptions exceptions_;
  std::shared_ptr<const Proxy> plain_;
  std::shared_ptr<const Proxy> secure_;
};

}  // namespace eider::net
