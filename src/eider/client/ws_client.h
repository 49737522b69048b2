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

#include "eider/base/result.h"
#include "eider/http/ws/close_code.h"
#include "eider/http/ws/message_reader.h"
#include "eider/http/ws/message_writer.h"
#include "eider/runtime/descriptor.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"
#include "eider/tls/tls_client.h"

namespace eider {

struct WsClientOptions {
  /// In the order of preference; the server may choose one of them, and no other.
  std::vector<std::string> subprotocols = {};
  /// Further fields of the request, such as Authorization or Origin. Not those of the handshake.
  std::vector<std::pair<std::string, std::string>> headers = {};

  /// Of one message; a larger one ends the connection with 1009.
  std::size_t message_bytes_max = 1024UL * 1024;
  /// Frames of one message; more end the connection with 1009.
  std::uint32_t fragments_max = 1U << 16U;
  /// Pings and pongs of one second without a message; more end the connection with 1008.
  std::uint32_t control_frames_per_second_max = 100;

  Duration connect = std::chrono::seconds(5);
  /// From the connected socket to the end of the server's answer.
  Duration handshake = std::chrono::seconds(5);
  /// For a message that waits for a slow server; then the connection is given up.
  Duration write = std::chrono::seconds(30);
  /// From a message's first byte to its last.
  Duration message_within = std::chrono::seconds(60);
  /// While `receive` waits: a server that has been silent for so long is sent a ping.
  Duration ping_after = std::chrono::seconds(30);
  /// What is silent still, so long after the ping, is taken for gone.
  Duration pong_within = std::chrono::seconds(10);
  /// For the server's close frame behind ours, and for the connection's end behind both.
  Duration close_within = std::chrono::seconds(5);

  /// As ClientOptions has them.
  std::string dns_servers = {};
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

/// One message, whole. Text is UTF-8.
struct WsClientMessage {
  ws::MessageType type = ws::MessageType::text;
  std::string_view bytes = {};

  [[nodiscard]] bool is_text() const noexcept { return type == ws::MessageType::text; }
};

namespace detail {
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
/// Pings are answered, and deadlines kept, while somebody receives.
class WsClient {
 public:
  using Connected = Result<WsClient, WsClientError>;

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

  /// Masked and sent when it is awaited; waits only while the server is slow.
  ///
  /// text     UTF-8; not kept when this has returned
  /// returns  false when the connection has ended, or we have closed it
  [[nodiscard]] Task<bool> send(std::string_view text);
  [[nodiscard]] Task<bool> send_binary(std::string_view bytes);

  /// One waits at a time. May be cancelled while it waits; nothing is lost by that.
  ///
  /// returns  the next message, valid until the next `receive`; nothing when there will be none:
  ///          then close_code() and close_reason() say why
  [[nodiscard]] Task<std::optional<WsClientMessage>> receive();

  /// The close handshake; comes back when the connection has ended, within `close_within`. What the
  /// server had sent before its close frame is left out.
  ///
  /// reason  UTF-8; what is above 123 bytes is left out
  /// errors  throws std::invalid_argument for a code that must not be sent (RFC 6455, 7.4)
  [[nodiscard]] Task<> close(ws::CloseCode code = ws::CloseCode::normal, std::string reason = {});

  /// Messages can still be sent.
  [[nodiscard]] bool is_open() const noexcept;
  /// Of the server's close frame, else of ours; `abnormal` when there was none, or not yet.
  [[nodiscard]] ws::CloseCode close_code() const noexcept;
  [[nodiscard]] std::string_view close_reason() const noexcept;
  /// What the server has chosen; empty when nothing.
  [[nodiscard]] std::string_view subprotocol() const noexcept;

 private:
  explicit WsClient(std::unique_ptr<detail::WsConnection> connection) noexcept;

  std::unique_ptr<detail::WsConnection> connection_;
};

}  // namespace eider
