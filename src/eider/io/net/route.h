// The destination of a connection, and its proxy.
// Layering: must not know the requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "eider/io/net/error.h"
#include "eider/io/net/options.h"
#include "eider/io/net/proxy.h"

namespace eider::net {

/// key  of a pool: all requests with the same key can share connections
struct Route {
  std::string key;
  std::string host;
  std::uint16_t port = 80;
  bool is_secure = false;
  std::shared_ptr<const Proxy> proxy = nullptr;
  /// Another protocol than HTTP/1.1 follows: an HTTP proxy makes a tunnel for it.
  bool is_tunnel = false;

  /// Returns whether the proxy must agree before anything is sent to the host.
  [[nodiscard]] bool needs_consent() const noexcept {
    return proxy != nullptr && (proxy->kind == ProxyKind::socks5 || is_secure || is_tunnel);
  }
  /// Returns whether requests are sent to the proxy, with the whole URL.
  [[nodiscard]] bool asks_proxy() const noexcept { return proxy != nullptr && !needs_consent(); }
};

/// Returns whether `allow` accepts the address; false for a text that is not an address.
[[nodiscard]] bool is_allowed(const AllowAddress& allow, std::string_view address);
[[nodiscard]] ConnectError forbidden(std::string_view host);
/// Returns whether a host may be reached through a proxy: `allow` checks an address; only the proxy
/// can check a name.
[[nodiscard]] bool is_allowed_behind_proxy(const AllowAddress& allow, std::string_view host);

}  // namespace eider::net
