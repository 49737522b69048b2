// The implementation of WsClient: its connection and its session.
// Layering: must not open lines (ws_line.h), nor speak the protocol (ws/).
#pragma once

#include <memory>
#include <string>

#include "eider/client/ws/random_masks.h"
#include "eider/client/ws/ws_client.h"
#include "eider/client/ws/ws_line.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/ws/ws_route.h"
#include "eider/io/ws/ws_session.h"
#include "eider/io/ws/ws_shared.h"

namespace eider::net {
class Net;
class Proxies;
}  // namespace eider::net

namespace eider::detail::client {

/// Does not move: its session and its tasks refer to it.
class WsConnection {
 public:
  /// Pre: on a running loop; !fault_of(options).
  WsConnection(std::unique_ptr<WsLine> line, WsClientOptions options);
  WsConnection(const WsConnection&) = delete;
  WsConnection& operator=(const WsConnection&) = delete;

  /// Performs the opening handshake, without its own deadline. Must be called first.
  [[nodiscard]] Task<Result<void, WsClientError>> shake_hands();
  /// Pre: after the handshake.
  [[nodiscard]] WebSocket& socket() noexcept { return socket_; }
  [[nodiscard]] ws::detail::WsSession* session() const noexcept { return session_.get(); }
  /// Set when the connection is closed or lost.
  [[nodiscard]] AsyncEvent& ended() noexcept { return ended_; }

 private:
  WsClientOptions options_;
  ws::detail::WsRoute route_;
  RandomMasks random_;
  ws::MaskSource& masks_;
  ws::detail::WsShared shared_;
  AsyncEvent ended_;
  std::unique_ptr<ws::detail::WsSession> session_;
  WebSocket socket_;
  std::unique_ptr<WsLine> line_;  // last: destroyed first, so that it calls nothing afterwards
};

using Opened = Result<std::unique_ptr<WsConnection>, WsClientError>;

/// Opens a WebSocket over a line, within the handshake time of the options and until `due`.
[[nodiscard]] Task<Opened> open_ws_over(std::unique_ptr<WsLine> line, WsClientOptions options,
                                        Instant due);

/// Connects with `net` and `proxies`, and opens a WebSocket. Both must outlive the task.
///
/// options  those about names, addresses, TLS and proxies are ignored
[[nodiscard]] Task<Opened> open_ws(net::Net& net, const net::Proxies& proxies, std::string url,
                                   WsClientOptions options);

}  // namespace eider::detail::client
