#include "eider/app/handlers/websocket.h"

#include "eider/app/handlers/respond.h"
#include "eider/protocols/http/ws/handshake.h"
#include "eider/server/ws_upgrade.h"

namespace eider::detail::app {

namespace {

constexpr int kSwitchingProtocols = 101;

void render_refusal(Response& response, const ws::HandshakeRefusal& refusal) {
  render_error(response, Error(refusal.status, std::string(refusal.text)));
  for (const Field& field : refusal.fields) {
    response.add_header(field.name, field.value);
  }
}

}  // namespace

std::optional<ws::detail::WsAccepted> accept_websocket(const Context& context,
                                                       const ws::detail::WsRoute& route,
                                                       Response& response) {
  auto accepted = server::accept_websocket(context.request.head(),
                                           requested_site_of(context.request), route.options);
  if (!accepted) {
    render_refusal(response, accepted.error());
    return std::nullopt;
  }
  return std::move(*accepted);
}

void render_upgrade(Response& response, Topics& topics, const ws::detail::WsRoute& route,
                    const ws::detail::WsAccepted& accepted, ws::detail::WsPurpose purpose) {
  response.set_status(kSwitchingProtocols);
  response.add_header("Upgrade", "websocket");
  if (const std::string_view accept = accepted.handshake.accept_view(); !accept.empty()) {
    response.add_header(ws::kAcceptField, accept);
  }
  const std::uint8_t subprotocol = accepted.agreement.subprotocol;
  if (subprotocol != ws::detail::WsAgreement::kNoSubprotocol) {
    response.add_header(ws::kProtocolField, route.options.subprotocols[subprotocol]);
  }
  if (!accepted.extensions.empty()) {
    response.add_header(ws::kExtensionsField, accepted.extensions);
  }
  response.set_content(
      std::make_unique<server::WsUpgrade>(route, topics, accepted.agreement, std::move(purpose)));
}

}  // namespace eider::detail::app

namespace eider {

Result<WebSocket> Extract<WebSocket>::from(const Context& /*context*/, ArgumentPlace /*place*/) {
  return WebSocket();
}

}  // namespace eider
