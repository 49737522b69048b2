// The implementation of WsClient: its transport, its connection and its session.
// Layering: must not speak the WebSocket protocol: the session does, after the handshake.
#pragma once

#include <memory>
#include <string>

#include "eider/client/ws/random_masks.h"
#include "eider/client/ws/ws_client.h"
#include "eider/client/ws/ws_opening.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/tcp.h"
#include "eider/io/ws/ws_route.h"
#include "eider/io/ws/ws_session.h"
#include "eider/io/ws/ws_shared.h"
#include "eider/protocols/http/http_url.h"

namespace eider::net {
class Net;
class Proxies;
}  // namespace eider::net

namespace eider::detail::client {

struct ClientState;
class Lease;

/// The transport of a client's WebSocket: a connection, or an HTTP/2 stream (RFC 8441).
class WsLine {
 public:
  virtual ~WsLine() = default;

  /// Performs the opening handshake, without its own deadline. Must be called first.
  ///
  /// options, masks  must outlive the task
  /// returns         the result; its views are valid until `begin`
  [[nodiscard]] virtual Task<Result<WsOpening, WsClientError>> shake_hands(
      const WsClientOptions& options, ws::MaskSource& masks) = 0;
  [[nodiscard]] virtual UpgradedLine& line() noexcept = 0;
  /// Passes input to the session, starting after this turn; sets `ended` after the end of the
  /// connection. Both must outlive this.
  virtual void begin(ws::detail::WsSession& session, AsyncEvent& ended) = 0;
};

/// Uses HTTP/1.1 over a separate connection (RFC 6455, section 4.1).
[[nodiscard]] std::unique_ptr<WsLine> make_ws_line(std::unique_ptr<TcpStream> stream, WsUrl url);
/// Uses a stream of one of a client's connections, which it holds until its end.
[[nodiscard]] std::unique_ptr<WsLine> make_ws_line(std::shared_ptr<ClientState> client, Lease lease,
                                                   http::HttpUrl url);

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
