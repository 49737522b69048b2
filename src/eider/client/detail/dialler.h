// Where a request goes, and the interface of what connects to it.
// Must not know requests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "eider/base/result.h"
#include "eider/client/client_error.h"
#include "eider/client/detail/proxy.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"

namespace eider::detail {

/// key  of the pool: connections of one route serve all its requests
struct Route {
  std::string key;
  std::string host;
  std::uint16_t port = 80;
  bool is_secure = false;
  std::shared_ptr<const Proxy> proxy = nullptr;
  /// A protocol that is no HTTP follows: an HTTP proxy makes a tunnel for it.
  bool is_tunnel = false;

  /// The proxy has to agree before anything is sent to the host.
  [[nodiscard]] bool needs_consent() const noexcept {
    return proxy != nullptr && (proxy->kind == ProxyKind::socks5 || is_secure || is_tunnel);
  }
  /// Requests name the whole URL.
  [[nodiscard]] bool asks_proxy() const noexcept { return proxy != nullptr && !needs_consent(); }
};

class Dialler {
 public:
  virtual ~Dialler() = default;
  /// A connected socket.
  ///
  /// route    outlives the task
  /// due      the task gives up by itself
  [[nodiscard]] virtual Task<Result<Descriptor, ClientError>> dial(const Route& route,
                                                                   Instant due) = 0;
};

}  // namespace eider::detail
