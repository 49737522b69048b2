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

/// key  of a pool: connections of one route serve all that is asked over it
struct Route {
  std::string key;
  std::string host;
  std::uint16_t port = 80;
  bool is_secure = false;
  std::shared_ptr<const Proxy> proxy = nullptr;
  /// A protocol that is no HTTP/1.1 follows: an HTTP proxy makes a tunnel for it.
  bool is_tunnel = false;

  /// The proxy has to agree before anything is sent to the host.
  [[nodiscard]] bool needs_consent() const noexcept {
    return proxy != nullptr && (proxy->kind == ProxyKind::socks5 || is_secure || is_tunnel);
  }
  /// Requests are the proxy's, and name the whole URL.
  [[nodiscard]] bool asks_proxy() const noexcept { return proxy != nullptr && !needs_consent(); }
};

/// Whether `allow` has nothing against an address; nothing else is one, and so not allowed.
[[nodiscard]] bool is_allowed(const AllowAddress& allow, std::string_view address);
[[nodiscard]] ConnectError forbidden(std::string_view host);
/// Of a host behind a proxy: an address is judged here, a name can only be by the proxy.
[[nodiscard]] bool is_allowed_behind_proxy(const AllowAddress& allow, std::string_view host);

}  // namespace eider::net
