#include "eider/app/websocket.h"

#include "eider/app/respond.h"
#include "eider/http/ws/handshake.h"
#include "eider/server/ws_upgrade.h"

namespace eider::detail {

namespace {

constexpr int kSwitchingProtocols = 101;

void render_refusal(Response& response, const ws::HandshakeRefusal& refusal) {
  render_error(response, Error(refusal.status, std::string(refusal.text)));
  for (const Field& field : refusal.fields) {
    response.add_header(field.name, field.value);
  }
}

}  // namespace

std::optional<WsAccepted> accept_websocket(const Context& context, const WsRoute& route,
                                           Response& response) {
  auto accepted = accept_websocket(context.request.head(), route.options);
  if (!accepted) {
    render_refusal(response, accepted.error());
    return std::nullopt;
  }
  return std::move(*accepted);
}

void render_upgrade(Response& response, const Context& context, const WsRoute& route,
                    const WsAccepted& accepted, WsPurpose purpose) {
  response.set_status(kSwitchingProtocols);
  response.add_header("Upgrade", "websocket");
  if (const std::string_view accept = accepted.handshake.accept_view(); !accept.empty()) {
    response.add_header(ws::kAcceptField, accept);
  }
  const std::uint8_t subprotocol = accepted.agreement.subprotocol;
  if (subprotocol != WsAgreement::kNoSubprotocol) {
    response.add_header(ws::kProtocolField, route.options.subprotocols[subprotocol]);
  }
  if (!accepted.extensions.empty()) {
    response.add_header(ws::kExtensionsField, accepted.extensions);
  }
  Topics& topics = *static_cast<Topics*>(context.states.back());
  response.set_content(
      std::make_unique<WsUpgrade>(route, topics, accepted.agreement, std::move(purpose)));
}

}  // namespace eider::detail

namespace eider {

Result<WebSocket> Extract<WebSocket>::from(const Context& /*context*/, ArgumentPlace /*place*/) {
  return WebSocket();
}

}  // namespace eider
