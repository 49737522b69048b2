// One WebSocket connection as a handler uses it (RFC 6455), and its limits.
// Layering: must not read or write frames: http/ws does; ws_session.h serves the handler.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/ws/close_code.h"
#include "eider/protocols/http/ws/deflate_codec.h"
#include "eider/protocols/http/ws/deflate_offer.h"
#include "eider/protocols/http/ws/extension.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider {

using ws::CloseCode;

/// A whole message, decompressed. Text is UTF-8.
struct WsMessage {
  ws::MessageType type = ws::MessageType::text;
  std::string_view bytes = {};

  [[nodiscard]] bool is_text() const noexcept { return type == ws::MessageType::text; }
};

/// What to do with a message for a client that reads too slowly.
enum class SlowConsumer : std::uint8_t {
  /// Drops the message: for news that the next message makes worthless.
  drop,
  /// Closes the connection with 1013 (try again later): the client has missed a message.
  disconnect,
};

/// The result of `try_send`.
enum class WsSent : std::uint8_t { taken, dropped, ended };

/// Options of message compression. Both ends negotiate them during the handshake.
struct WebSocketDeflate {
  /// Whether sent messages are compressed with the previous ones as context. Small similar messages
  /// compress best that way, for 262 KiB per connection. Otherwise idle connections need no memory,
  /// and published messages are compressed once for all.
  bool keeps_own_context = false;
  /// The same for received messages, for 39 KiB.
  bool keeps_peer_context = false;
  /// 9 to 15: the window is 2^bits bytes.
  std::uint8_t own_window_bits = ws::kWindowBitsMax;
  std::uint8_t peer_window_bits = ws::kWindowBitsMax;
  ws::DeflateOptions compressor = {};
};

/// permessage-deflate (RFC 7692): `.compression = true`, or a WebSocketDeflate with options. Using
/// it requires the component `compress`; otherwise ws::make_deflate_codec is undefined at link
/// time.
class WebSocketCompression {
 public:
  WebSocketCompression() noexcept = default;
  // Templates, so that only code that enables compression refers to the codec, and the core does
  // not need zlib.
  // NOLINTBEGIN(google-explicit-constructor): `.compression = true` must convert implicitly
  template <std::same_as<bool> Switch>
  WebSocketCompression(Switch is_on) noexcept
      : make_codec_(is_on ? &ws::make_deflate_codec : nullptr) {}
  template <std::same_as<WebSocketDeflate> How>
  WebSocketCompression(const How& how) noexcept : how_(how), make_codec_(&ws::make_deflate_codec) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_on() const noexcept { return make_codec_ != nullptr; }
  /// Returns the terms to negotiate in the handshake.
  [[nodiscard]] ws::DeflateWishes wishes(ws::Side own) const noexcept;
  /// Creates the codec of one connection. Pre: is_on().
  [[nodiscard]] std::unique_ptr<ws::MessageCodec> make_codec(ws::Side own,
                                                             const ws::DeflateTerms& terms) const {
    return make_codec_(own, terms, how_.compressor);
  }

 private:
  WebSocketDeflate how_;
  decltype(&ws::make_deflate_codec) make_codec_ = nullptr;
};

/// Limits and deadlines of each connection of a route.
struct WebSocketOptions {
  /// Maximum size of one message, decompressed; a larger one closes the connection with 1009.
  std::size_t message_bytes_max = 1024UL * 1024;
  /// Maximum number of frames of one message; more close the connection with 1008, because smaller
  /// frames would not help.
  std::uint32_t fragments_max = ws::kFragmentsMaxDefault;
  /// Time limit from the first byte of a message to its last; then 1008.
  Duration message_within = std::chrono::seconds(60);

  /// Maximum size of messages that the handler has not received: beyond it, nothing more is read
  /// from the client.
  std::size_t queued_bytes_max = 1024UL * 1024;
  std::size_t queued_messages_max = 256;

  /// Maximum number of topics of one connection; one more closes it with 1008. A topic counts once
  /// for each started 256 bytes of its name, because clients may choose the names.
  std::size_t topics_max = 4096;

  /// Maximum output that waits for a slow client before `publish` and `try_send` apply
  /// `slow_consumer`, and before nothing more is read from the client, not even pings.
  std::size_t backpressure_bytes_max = 1024UL * 1024;
  SlowConsumer slow_consumer = SlowConsumer::disconnect;
  /// While output waits, the client must read at least `bytes_per_second_min` in each window of
  /// this length; else the connection is reset.
  Duration write = std::chrono::seconds(30);
  std::size_t bytes_per_second_min = 512;

  /// A client that has been silent for this time gets a ping.
  Duration ping_after = std::chrono::seconds(30);
  /// A client that is still silent this long after the ping is disconnected.
  Duration pong_within = std::chrono::seconds(10);
  /// Time limit for the client's close frame after ours, for our last bytes, and for the handler
  /// after the end of the connection.
  Duration close_within = std::chrono::seconds(5);
  /// Maximum number of pings and pongs per second without a message; more close it with 1008.
  std::uint32_t control_frames_per_second_max = 100;

  /// Subprotocols in the server's order of preference. The first one that the client offers is
  /// used; if the client offers none of them, the connection has no subprotocol.
  std::vector<std::string> subprotocols = {};
  /// The origins whose pages may connect, such as "https://example.com"; "*": all. The server's own
  /// host is always allowed (over TLS: its https pages), and so are clients without an Origin
  /// header: they are not browsers.
  std::vector<std::string> origins = {};
  WebSocketCompression compression = {};
};

namespace ws::detail {

class WsSession;

}  // namespace ws::detail

/// Operations on a connection, for callbacks, handlers and clients. After the end of the connection
/// they do nothing.
template <class Holder>
class WebSocketCalls {
 public:
  /// Sends unless the other end is too slow: WebSocketOptions::backpressure_bytes_max.
  /// Pre: text is UTF-8.
  WsSent try_send(std::string_view text) { return try_send({ws::MessageType::text, text}); }
  WsSent try_send(const WsMessage& message);
  WsSent try_send(const WsMessage& message, SlowConsumer slow_consumer);

  /// Starts the close handshake; nothing is sent or received afterwards.
  ///
  /// reason  UTF-8; bytes after the first 123 are cut
  /// errors  throws std::invalid_argument for a code that must not be sent (RFC 6455, 7.4)
  void close(CloseCode code = CloseCode::normal, std::string_view reason = {});
  /// Sends a ping, in addition to the automatic ones. payload: up to 125 bytes.
  void ping(std::string_view payload = {});

  // For servers only.
  /// Subscribes this connection to a topic, until it ends; each message is sent once.
  void subscribe(std::string_view topic);
  void unsubscribe(std::string_view topic);
  /// Publishes to all subscribers of this app on all threads, including this connection.
  void publish(std::string_view topic, std::string_view text) {
    publish(topic, {ws::MessageType::text, text});
  }
  void publish(std::string_view topic, const WsMessage& message);
  /// Publishes to all subscribers except this connection.
  void publish_to_others(std::string_view topic, std::string_view text) {
    publish_to_others(topic, {ws::MessageType::text, text});
  }
  void publish_to_others(std::string_view topic, const WsMessage& message);

  /// Returns whether messages can still be sent.
  [[nodiscard]] bool is_open() const noexcept;
  /// Returns the code of the other end's close frame, else of ours; `abnormal` if there is none.
  [[nodiscard]] CloseCode close_code() const noexcept;
  [[nodiscard]] std::string_view close_reason() const noexcept;
  /// Returns the negotiated subprotocol; empty if there is none.
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  /// Returns the other end's IP address without the port; empty after the end of the connection.
  [[nodiscard]] std::string remote_address() const;
  /// Returns the number of messages that were dropped because this connection was slow.
  [[nodiscard]] std::size_t dropped() const noexcept;

 protected:
  WebSocketCalls() = default;
  ~WebSocketCalls() = default;

 private:
  /// Returns null after the end of the connection.
  [[nodiscard]] ws::detail::WsSession* session() noexcept {
    return static_cast<Holder&>(*this).session();
  }
  [[nodiscard]] const ws::detail::WsSession* session() const noexcept {
    return static_cast<const Holder&>(*this).session();
  }
};

/// A connection for callbacks: its address identifies it, from `opened` until `closed` returns. It
/// belongs to its event loop's thread.
class WebSocketRef : public WebSocketCalls<WebSocketRef> {
 public:
  WebSocketRef(const WebSocketRef&) = delete;
  WebSocketRef& operator=(const WebSocketRef&) = delete;

 protected:
  WebSocketRef() = default;
  ~WebSocketRef() = default;

 private:
  friend class WebSocketCalls<WebSocketRef>;
  [[nodiscard]] ws::detail::WsSession* session() noexcept;
  [[nodiscard]] const ws::detail::WsSession* session() const noexcept;
};

namespace ws::detail {

/// A waiting coroutine: in a queue of its connection, and when it is woken, in the loop's queue.
/// The handler of a silent connection contains one, so it has half the size of an AsyncEvent's
/// awaiter.
class WsWaiter : public Deferred {
 public:
  /// Code that wakes it removes it from the queue and defers it; its destructor also removes it.
  using Queue = IntrusiveList<Deferred>;

 protected:
  WsWaiter() = default;
  ~WsWaiter() = default;
  /// Pre: it is in no queue.
  void wait_in(Queue& queue, std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    queue.push_back(*this);
  }

 private:
  void run() override { waiting_.resume(); }

  std::coroutine_handle<> waiting_;
};

}  // namespace ws::detail

/// A connection that a handler owns. When the handler returns, the connection is closed with 1000,
/// or with 1011 if the handler threw.
///
/// The connection owns the handler. When the client disconnects, `receive` ends; a handler that
/// then waits for something else is destroyed where it waits after WebSocketOptions::close_within.
class WebSocket : public WebSocketCalls<WebSocket> {
 public:
  class ReceiveAwaiter;
  class SendAwaiter;

  /// Creates a connection that has ended.
  WebSocket() noexcept = default;
  WebSocket(WebSocket&& other) noexcept;
  WebSocket& operator=(WebSocket&& other) noexcept;
  ~WebSocket();

  /// Receives the next message: `while (auto message = co_await ws.receive())`. Only one task may
  /// wait.
  ///
  /// returns  the message, valid until the next `receive`; nothing after the end of the connection
  [[nodiscard]] ReceiveAwaiter receive() noexcept;

  /// `co_await ws.send(text)` waits only while the client is slow. Messages are sent together when
  /// the handler waits for anything.
  ///
  /// text     UTF-8; not kept after the return
  /// returns  false after the end of the connection
  [[nodiscard]] SendAwaiter send(std::string_view text);
  [[nodiscard]] SendAwaiter send_binary(std::string_view bytes);
  [[nodiscard]] SendAwaiter send(const WsMessage& message);

 private:
  friend class ws::detail::WsSession;
  friend class WebSocketCalls<WebSocket>;
  [[nodiscard]] ws::detail::WsSession* session() const noexcept { return session_; }
  explicit WebSocket(ws::detail::WsSession& session) noexcept;

  ws::detail::WsSession* session_ = nullptr;  // null after the end of the connection
};

/// The result of `receive`, for `co_await`. The WebSocket must not be moved meanwhile.
class [[nodiscard]] WebSocket::ReceiveAwaiter final : private ws::detail::WsWaiter {
 public:
  explicit ReceiveAwaiter(WebSocket& socket) noexcept : socket_(socket) {}
  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  std::optional<WsMessage> await_resume();

 private:
  WebSocket& socket_;
};

/// The result of `send`, for `co_await`: the message was already accepted.
class WebSocket::SendAwaiter final : private ws::detail::WsWaiter {
 public:
  explicit SendAwaiter(WebSocket& socket) noexcept : socket_(socket) {}
  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  bool await_resume() const noexcept { return socket_.is_open(); }

 private:
  WebSocket& socket_;
};

inline WebSocket::ReceiveAwaiter WebSocket::receive() noexcept {
  return ReceiveAwaiter(*this);
}

/// Callbacks for many connections that are mostly idle: no coroutine and no memory per connection.
/// One set serves all connections of a route, or a handler returns one for each.
///
/// An exception in a callback closes its connection with 1011.
struct WebSocketHandlers {
  std::function<void(WebSocketRef& socket)> opened = {};
  /// message  valid until the call returns
  std::function<void(WebSocketRef& socket, const WsMessage& message)> message = {};
  /// Called once for each `opened`, as the last call: the connection has ended, see close_code().
  std::function<void(WebSocketRef& socket)> closed = {};
};

}  // namespace eider
