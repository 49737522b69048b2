#include "eider/server/ws_upgrade.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "eider/io/ws/ws_session.h"
#include "eider/protocols/http/ws/extension_list.h"
#include "eider/server/ws_hub.h"

namespace eider::detail::server {

namespace {

constexpr ws::HandshakeRefusal kForeignOrigin{
    .status = 403, .text = "Connections from this origin are not allowed.", .fields = {}};
constexpr ws::HandshakeRefusal kBadExtensions{
    .status = 400,
    .text = "The Sec-WebSocket-Extensions header is not a list of extensions.",
    .fields = {}};

std::uint8_t choose_subprotocol(const RequestHead& head, const WebSocketOptions& options) {
  const auto found = std::ranges::find_if(options.subprotocols, [&head](const std::string& name) {
    return ws::offers_subprotocol(head, name);
  });
  return found == options.subprotocols.end()
             ? ws::detail::WsAgreement::kNoSubprotocol
             : static_cast<std::uint8_t>(found - options.subprotocols.begin());
}

}  // namespace

Result<ws::detail::WsAccepted, ws::HandshakeRefusal> accept_websocket(
    const RequestHead& head, const RequestedSite& site, const WebSocketOptions& options) {
  const auto handshake = ws::check_upgrade(head);
  if (!handshake) {
    return fail(handshake.error());
  }
  if (!ws::is_origin_allowed(head, site, options.origins)) {
    return fail(kForeignOrigin);
  }
  ws::detail::WsAccepted accepted{.handshake = *handshake, .agreement = {}, .extensions = {}};
  accepted.agreement.subprotocol = choose_subprotocol(head, options);
  const auto offers = ws::read_extensions(head.fields);
  if (!offers) {
    return fail(kBadExtensions);
  }
  if (options.compression.is_on()) {
    const ws::DeflateWishes wishes = options.compression.wishes(ws::Side::server);
    if (auto choice = ws::choose_deflate(*offers, wishes)) {
      accepted.agreement.compression = choice->terms;
      accepted.extensions = std::move(choice->response);
    }
  }
  return accepted;
}

UpgradedPtr WsUpgrade::take_over(UpgradedLine& line) {
  WsHub& hub = topics_.hub(line.loop());
  ws::detail::WsSession& session = hub.make_session(route_, line, agreement_);
  UpgradedPtr upgraded(&session);
  // Start the session only when it is complete, because its handler may use the line at once.
  session.start(std::move(purpose_));
  return upgraded;
}

}  // namespace eider::detail::server
