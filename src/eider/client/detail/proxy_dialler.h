// Connects to a route through its proxy: SOCKS5, or a tunnel of HTTP (CONNECT).
// Must not be asked for what goes to a proxy as a request of HTTP: that needs no consent.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "eider/client/detail/dialler.h"
#include "eider/client/detail/proxy.h"
#include "eider/runtime/descriptor.h"

namespace eider::detail {

class ProxyDialler final : public Dialler {
 public:
  /// direct  connects to hosts and to proxies
  explicit ProxyDialler(std::unique_ptr<Dialler> direct) noexcept : direct_(std::move(direct)) {}

  /// errors  proxy_failed  it cannot be reached, declines, or answers with nonsense
  [[nodiscard]] Task<Result<Descriptor, ClientError>> dial(const Route& route,
                                                           Instant due) override;

 private:
  std::unique_ptr<Dialler> direct_;
};

}  // namespace eider::detail
