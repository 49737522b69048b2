// How a request becomes a WebSocket: what is agreed on, and who takes the connection over.
// Must not write responses: the layer above does, by what is agreed.
#pragma once

#include <memory>
#include <utility>

#include "eider/base/result.h"
#include "eider/http/head.h"
#include "eider/http/ws/handshake.h"
#include "eider/server/topics.h"
#include "eider/server/upgrade.h"
#include "eider/server/ws_route.h"

namespace eider::detail {

/// errors   as ws::check_upgrade; 403 for a page of a foreign origin; 400 for extensions that are
///          not spelled as they must be
/// source   RFC 6455, section 4.2
[[nodiscard]] Result<WsAccepted, ws::HandshakeRefusal> accept_websocket(
    const RequestHead& head, const WebSocketOptions& options);

/// The content of the 101.
class WsUpgrade final : public Upgrade {
 public:
  /// route, topics  outlive the connection
  WsUpgrade(const WsRoute& route, Topics& topics, const WsAgreement& agreement, WsPurpose purpose)
      : route_(route), topics_(topics), agreement_(agreement), purpose_(std::move(purpose)) {}

  [[nodiscard]] std::unique_ptr<Upgraded> take_over(UpgradedLine& line) override;

 private:
  const WsRoute& route_;
  Topics& topics_;
  WsAgreement agreement_;
  WsPurpose purpose_;
};

}  // namespace eider::detail
