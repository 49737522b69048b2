// WsClient: a WebSocket connection to another server (RFC 6455), for coroutines.
// Layering: must not connect again by itself when the connection has ended.
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
  /// may select one of them.
  WebSocketOptions socket = {};
  /// Additional headers of the request, such as Authorization or Origin. Not those of the
  /// handshake.
  std::vector<std::pair<std::string, std::string>> headers = {};

  Duration connect = std::chrono::seconds(5);
  /// Time limit from the connected socket to the end of the server's response.
  Duration handshake = std::chrono::seconds(5);

  /// Name servers, as in ClientOptions.
  std::string dns_servers = {};
  AllowAddress allow_address = nullptr;
  TlsClientOptions tls = {};
  std::shared_ptr<TlsClientContext> tls_context = {};
  /// "http://[user:password@]host:port" or "socks5://…"; empty: none.
  std::string proxy = {};

  /// The source of mask keys and of the handshake's key; null: random numbers of the kernel. Must
  /// outlive the client.
  ws::MaskSource* masks = nullptr;
};

enum class WsClientFault : std::uint8_t {
  bad_url,        ///< not a ws:// or wss:// URL, or one with a user, a fragment or an invalid byte
  no_such_name,   ///< the host name has no address, or the name servers did not respond
  bad_option,     ///< a subprotocol or header that cannot be sent
  not_connected,  ///< no address accepted the connection, or the connection was lost
  tls_failed,     ///< the certificate is not trusted, or the encryption failed
  timed_out,      ///< no connection or no response in time
  declined,       ///< the server returned another status than 101
  bad_response,   ///< the response is not a valid handshake
};

/// Why a WebSocket could not connect.
///
/// status  of the response, if the server declined; else 0
/// text    the problem, in one or two sentences
struct WsClientError {
  WsClientFault fault;
  std::string text;
  int status = 0;
};

namespace detail::client {
class WsConnection;
}

/// A WebSocket connection to another server. One task receives, other tasks may send, all on the
/// event loop that connected. The WsClient must outlive them. Destroying it closes the connection
/// at once, without a close frame.
///
///     auto client = co_await WsClient::connect("ws://127.0.0.1:8080/feed/a");
///     …
///     const bool is_sent = co_await client->send("hello");
///     while (auto message = co_await client->receive()) …
///
/// Messages are queued while no task receives, up to WebSocketOptions::queued_bytes_max. Pings are
/// answered and deadlines apply meanwhile.
class WsClient : private WebSocketCalls<WsClient> {
 public:
  using Connected = Result<WsClient, WsClientError>;

  /// Connects with HTTP/1.1 over a separate connection. (HttpClient::websocket can share an HTTP/2
  /// connection.)
  ///
  /// url      "ws://host[:port][/path][?query]", or wss:// for TLS
  /// errors   see WsClientFault
  /// source   RFC 6455, sections 3 and 4.1
  [[nodiscard]] static Task<Connected> connect(std::string url, WsClientOptions options = {});
  /// Uses a connected socket. url: only for the request and for TLS.
  [[nodiscard]] static Task<Connected> open(Descriptor connected, std::string url,
                                            WsClientOptions options = {});

  WsClient(WsClient&& other) noexcept;
  WsClient& operator=(WsClient&& other) noexcept;
  ~WsClient();

  // Like those of WebSocket: the call accepts the message, and awaiting its result waits only while
  // the server is slow. The result is false after the end of the connection.
  [[nodiscard]] WebSocket::SendAwaiter send(std::string_view text);
  [[nodiscard]] WebSocket::SendAwaiter send_binary(std::string_view bytes);
  [[nodiscard]] WebSocket::SendAwaiter send(const WsMessage& message);
  using WebSocketCalls::ping;
  using WebSocketCalls::try_send;

  /// Receives the next message. Only one task may wait. It may be canceled; no message is lost.
  ///
  /// returns  the message, valid until the next `receive`; nothing after the end of the connection:
  ///          see close_code() and close_reason()
  [[nodiscard]] Task<std::optional<WsMessage>> receive();

  /// Closes the connection, and returns when it is closed, within `close_within`. Messages that the
  /// server sent before its close frame are dropped.
  ///
  /// reason  UTF-8; bytes after the first 123 are cut
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
