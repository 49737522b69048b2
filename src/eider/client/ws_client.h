// A WebSocket connection to another server (RFC 6455), for coroutines.
// Must not connect again by itself when the connection has ended.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/net/options.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/tls/tls_client.h"
#include "eider/io/ws/websocket.h"
#include "eider/protocols/http/ws/close_code.h"
#include "eider/protocols/http/ws/message_writer.h"

namespace eider {

class HttpClient;

struct WsClientOptions {
  /// Limits, deadlines, compression, and the subprotocols in the order of preference; the server
  /// may choose one of them, and no other.
  WebSocketOptions socket = {};
  /// Further fields of the request, such as Authorization or Origin. Not those of the handshake.
  std::vector<std::pair<std::string, std::string>> headers = {};

  Duration connect = std::chrono::seconds(5);
  /// From the connected socket to the end of the server's answer.
  Duration handshake = std::chrono::seconds(5);

  /// As ClientOptions has them.
  std::string dns_servers = {};
  AllowAddress allow_address = nullptr;
  TlsClientOptions tls = {};
  std::shared_ptr<TlsClientContext> tls_context = {};
  /// "http://[user:password@]host:port" or "socks5://…"; empty: none.
  std::string proxy = {};

  /// Where mask keys and the handshake's key come from; the kernel's random numbers when null.
  /// Outlives the client.
  ws::MaskSource* masks = nullptr;
};

enum class WsClientFault : std::uint8_t {
  bad_url,        ///< no ws:// or wss:// URL, or one with a user, a fragment or an invalid byte
  no_such_name,   ///< the host's name has no address, or no name server answers
  bad_option,     ///< a subprotocol or header that cannot be sent
  not_connected,  ///< nobody answered at the address, or the connection was lost
  tls_failed,     ///< the certificate is not trusted, or the encryption failed
  timed_out,      ///< not connected, or not answered, in time
  declined,       ///< the server answered in HTTP, but not with 101
  bad_answer,     ///< what the server answered is no handshake, or not the one asked for
};

/// Why there is no connection.
///
/// status  the answer's, when the server declined; else 0
/// text    what happened, in a sentence or two
struct WsClientError {
  WsClientFault fault;
  std::string text;
  int status = 0;
};

namespace detail::client {
class WsConnection;
}

/// One task receives, others may send; all on the loop that connected. It outlives them.
/// Destroying it closes the connection at once, without a close frame.
///
///     auto client = co_await WsClient::connect("ws://127.0.0.1:8080/feed/a");
///     …
///     const bool is_sent = co_await client->send("hello");
///     while (auto message = co_await client->receive()) …
///
/// What arrives while nobody receives waits, up to WebSocketOptions::queued_bytes_max. Pings are
/// answered and deadlines kept meanwhile.
class WsClient : private WebSocketCalls<WsClient> {
 public:
  using Connected = Result<WsClient, WsClientError>;

  /// By HTTP/1.1 over a connection of its own. (HttpClient::websocket shares one of HTTP/2, where
  /// there is one.)
  ///
  /// url      "ws://host[:port][/path][?query]", or wss:// for TLS
  /// errors   WsClientFault says which
  /// source   RFC 6455, sections 3 and 4.1
  [[nodiscard]] static Task<Connected> connect(std::string url, WsClientOptions options = {});
  /// The same over a socket that is connected already. url: only for the request and for TLS.
  [[nodiscard]] static Task<Connected> open(Descriptor connected, std::string url,
                                            WsClientOptions options = {});

  WsClient(WsClient&& other) noexcept;
  WsClient& operator=(WsClient&& other) noexcept;
  ~WsClient();

  // As WebSocket has them: the message is on its way when the call returns, and what is awaited
  // says whether the connection is still open. It waits only while the server is slow.
  [[nodiscard]] WebSocket::SendAwaiter send(std::string_view text);
  [[nodiscard]] WebSocket::SendAwaiter send_binary(std::string_view bytes);
  [[nodiscard]] WebSocket::SendAwaiter send(const WsMessage& message);
  using WebSocketCalls::ping;
  using WebSocketCalls::try_send;

  /// One waits at a time. May be cancelled while it waits; nothing is lost by that.
  ///
  /// returns  the next message, valid until the next `receive`; nothing when there will be none:
  ///          then close_code() and close_reason() say why
  [[nodiscard]] Task<std::optional<WsMessage>> receive();

  /// The close handshake; comes back when the connection has ended, within `close_within`. What the
  /// server had sent before its close frame is left out.
  ///
  /// reason  UTF-8; what is above 123 bytes is left out
  /// errors  throws std::invalid_argument for a code that must not be sent (RFC 6455, 7.4)
  [[nodiscard]] Task<> close(ws::CloseCode code = ws::CloseCode::normal, std::string reason = {});

  using WebSocketCalls::close_code;
  using WebSocketCalls::close_reason;
  using WebSocketCalls::is_open;
  using WebSocketCalls::subprotocol;

 private:
  friend class HttpClient;
  friend class WebSocketCalls<WsClient>;
  [[nodiscard]] ws::detail::WsSession* session() const noexcept;
  explicit WsClient(std::unique_ptr<detail::client::WsConnection> connection) noexcept;

  std::unique_ptr<detail::client::WsConnection> connection_;
};

}  // namespace eider
