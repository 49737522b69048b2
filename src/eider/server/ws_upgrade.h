// Upgrades a request to a WebSocket.
// Layering: must not write responses: the layer above does, according to the result.
#pragma once

#include <memory>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/ws/ws_route.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/ws/handshake.h"
#include "eider/server/topics.h"
#include "eider/server/upgrade.h"

namespace eider::detail::server {

/// errors   as ws::check_upgrade; 403 for a page of a foreign origin; 400 for extensions with
///          invalid syntax
/// source   RFC 6455, section 4.2
[[nodiscard]] Result<ws::detail::WsAccepted, ws::HandshakeRefusal> accept_websocket(
    const RequestHead& head, const RequestedSite& site, const WebSocketOptions& options);

/// The content of a 101 response.
class WsUpgrade final : public Upgrade {
 public:
  /// route, topics  outlive the connection
  WsUpgrade(const ws::detail::WsRoute& route, Topics& topics,
            const ws::detail::WsAgreement& agreement, ws::detail::WsPurpose purpose)
      : route_(route), topics_(topics), agreement_(agreement), purpose_(std::move(purpose)) {}

  [[nodiscard]] UpgradedPtr take_over(UpgradedLine& line) override;

 private:
  const ws::detail::WsRoute& route_;
  Topics& topics_;
  ws::detail::WsAgreement agreement_;
  ws::detail::WsPurpose purpose_;
};

}  // namespace eider::detail::server
