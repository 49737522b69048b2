// One WebSocket connection as a handler sees it (RFC 6455), and what it may cost.
// Must not read or write frames: http/ws does; what serves a handler is ws_session.h.
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

/// One message, whole and decompressed. Text is UTF-8.
struct WsMessage {
  ws::MessageType type = ws::MessageType::text;
  std::string_view bytes = {};

  [[nodiscard]] bool is_text() const noexcept { return type == ws::MessageType::text; }
};

/// What becomes of a message for a client that is too slow to take it.
enum class WhenSlow : std::uint8_t {
  /// It is left out: for news that the next message makes worthless.
  drop,
  /// The client is told 1013 (try again later) and loses its connection: it has missed something.
  disconnect,
};

/// What became of a message that nobody waits for.
enum class WsSent : std::uint8_t { taken, dropped, ended };

/// How messages are compressed. Whether the peer does the same is agreed on at the connection's
/// begin.
struct WebSocketDeflate {
  /// Whether what we send may refer to what we have sent before. Small messages that resemble each
  /// other shrink most by that, for 262 KiB of each connection. Else they cost nothing in between,
  /// and what is published is compressed once for all.
  bool keeps_own_context = false;
  /// The same of what the peer sends, for 39 KiB.
  bool keeps_peer_context = false;
  /// 9 to 15: 2^bits bytes are what may be referred to.
  std::uint8_t own_window_bits = ws::kWindowBitsMax;
  std::uint8_t peer_window_bits = ws::kWindowBitsMax;
  ws::DeflateOptions compressor = {};
};

/// permessage-deflate (RFC 7692): `.compression = true`, or a WebSocketDeflate that says how. What
/// says so links the component `compress`, else ws::make_deflate_codec is missed.
class WebSocketCompression {
 public:
  WebSocketCompression() noexcept = default;
  // A template refers to the codec only where somebody compresses, so the core goes without zlib.
  // NOLINTBEGIN(google-explicit-constructor): `.compression = true` is to convert by itself
  template <std::same_as<bool> Switch>
  WebSocketCompression(Switch is_on) noexcept
      : make_codec_(is_on ? &ws::make_deflate_codec : nullptr) {}
  template <std::same_as<WebSocketDeflate> How>
  WebSocketCompression(const How& how) noexcept : how_(how), make_codec_(&ws::make_deflate_codec) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_on() const noexcept { return make_codec_ != nullptr; }
  /// For the handshake.
  [[nodiscard]] ws::DeflateWishes wishes(ws::Side own) const noexcept;
  /// For one connection. Pre: is_on().
  [[nodiscard]] std::unique_ptr<ws::MessageCodec> make_codec(ws::Side own,
                                                             const ws::DeflateTerms& terms) const {
    return make_codec_(own, terms, how_.compressor);
  }

 private:
  WebSocketDeflate how_;
  decltype(&ws::make_deflate_codec) make_codec_ = nullptr;
};

/// What one client of a route may cost, and for how long.
struct WebSocketOptions {
  /// Of one message, decompressed; a larger one ends the connection with 1009.
  std::size_t message_bytes_max = 1024UL * 1024;
  /// Frames of one message; more end the connection with 1008: it is not their bytes that are too
  /// many, and a client that sends less in each would only make it worse.
  std::uint32_t fragments_max = ws::kFragmentsMaxDefault;
  /// From a message's first byte to its last; then 1008.
  Duration message_within = std::chrono::seconds(60);

  /// Messages that have arrived and that the handler has not received: beyond either bound nothing
  /// more is read from the client.
  std::size_t queued_bytes_max = 1024UL * 1024;
  std::size_t queued_messages_max = 256;

  /// Topics that one connection may be subscribed to at once; one more ends it with 1008.
  std::size_t topics_max = 4096;

  /// What may wait for a slow client before `publish` and `try_send` do as `when_slow` says, and
  /// before nothing more is read from it, pings among it.
  std::size_t backpressure_bytes_max = 1024UL * 1024;
  WhenSlow when_slow = WhenSlow::disconnect;
  /// While output waits, each span of this length must take `bytes_per_second_min`; else the
  /// connection is reset.
  Duration write = std::chrono::seconds(30);
  std::size_t bytes_per_second_min = 512;

  /// A client that has been silent for so long is sent a ping.
  Duration ping_after = std::chrono::seconds(30);
  /// What is silent still, so long after the ping, is taken for gone.
  Duration pong_within = std::chrono::seconds(10);
  /// For the client's close frame behind ours, for our last bytes, and for the handler behind the
  /// connection's end.
  Duration close_within = std::chrono::seconds(5);
  /// Pings and pongs of one second without a message; more end it with 1008.
  std::uint32_t control_frames_per_second_max = 100;

  /// In the server's order of preference. The first that the client offers is used; when it offers
  /// none of them the connection has none.
  std::vector<std::string> subprotocols = {};
  /// Whose pages may connect, e.g. "https://example.com"; "*": everybody's. The server's own host
  /// always may (over TLS: its pages of https), and so may what sends no Origin: it is no browser.
  std::vector<std::string> origins = {};
  WebSocketCompression compression = {};
};

namespace ws::detail {

class WsSession;

}  // namespace ws::detail

/// What may be done with a connection, by callbacks, by a coroutine and by a client. Nothing
/// happens when it is gone.
template <class Holder>
class WebSocketCalls {
 public:
  /// Sends unless the other end is too slow: WebSocketOptions::backpressure_bytes_max.
  /// Pre: text is UTF-8.
  WsSent try_send(std::string_view text) { return try_send({ws::MessageType::text, text}); }
  WsSent try_send(const WsMessage& message);
  WsSent try_send(const WsMessage& message, WhenSlow when_slow);

  /// Begins the close handshake; nothing is sent or received behind it.
  ///
  /// reason  UTF-8; what is above 123 bytes is left out
  /// errors  throws std::invalid_argument for a code that must not be sent (RFC 6455, 7.4)
  void close(CloseCode code = CloseCode::normal, std::string_view reason = {});
  /// Asks for a sign of life, beyond those pings that are sent anyway. payload: up to 125 bytes.
  void ping(std::string_view payload = {});

  // A server's alone.
  /// What is published under this topic is sent to this connection, once, until it ends.
  void subscribe(std::string_view topic);
  void unsubscribe(std::string_view topic);
  /// To all subscribers of this app's sockets on all threads, this one too when it is one.
  void publish(std::string_view topic, std::string_view text) {
    publish(topic, {ws::MessageType::text, text});
  }
  void publish(std::string_view topic, const WsMessage& message);
  /// To all but this one.
  void publish_to_others(std::string_view topic, std::string_view text) {
    publish_to_others(topic, {ws::MessageType::text, text});
  }
  void publish_to_others(std::string_view topic, const WsMessage& message);

  /// Messages can still be sent.
  [[nodiscard]] bool is_open() const noexcept;
  /// Of the other end's close frame, else of ours; `abnormal` when there was none, or not yet.
  [[nodiscard]] CloseCode close_code() const noexcept;
  [[nodiscard]] std::string_view close_reason() const noexcept;
  /// What was agreed on; empty when nothing was.
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  /// The other end's address as text, without the port; empty when the connection is gone.
  [[nodiscard]] std::string remote_address() const;
  /// Messages for this connection that were left out because it was slow.
  [[nodiscard]] std::size_t dropped() const noexcept;

 protected:
  WebSocketCalls() = default;
  ~WebSocketCalls() = default;

 private:
  /// Null when it is gone.
  [[nodiscard]] ws::detail::WsSession* session() noexcept {
    return static_cast<Holder&>(*this).session();
  }
  [[nodiscard]] const ws::detail::WsSession* session() const noexcept {
    return static_cast<const Holder&>(*this).session();
  }
};

/// A connection as callbacks see it: its address is its name, from `opened` until `closed` returns.
/// It belongs to its loop's thread.
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

/// A coroutine that waits: in a queue of its connection, and when that wakes it, in the loop's. A
/// silent connection's handler holds one, so it is half of what an Event's would be.
class WsWaiter : public Deferred {
 public:
  /// What wakes it takes it out and defers it; it leaves by itself when it is destroyed.
  using Queue = IntrusiveList<Deferred>;

 protected:
  WsWaiter() = default;
  ~WsWaiter() = default;
  /// Pre: in no queue.
  void wait_in(Queue& queue, std::coroutine_handle<> waiting) noexcept {
    waiting_ = waiting;
    queue.push_back(*this);
  }

 private:
  void run() override { waiting_.resume(); }

  std::coroutine_handle<> waiting_;
};

}  // namespace ws::detail

/// A connection as a handler owns it. When the handler returns, the connection is closed with 1000,
/// or with 1011 when it threw.
///
/// The connection owns the handler. When the client is gone `receive` ends; a handler that then
/// waits for something else is destroyed where it waits after WebSocketOptions::close_within.
class WebSocket : public WebSocketCalls<WebSocket> {
 public:
  class ReceiveAwaiter;
  class SendAwaiter;

  /// One that has ended.
  WebSocket() noexcept = default;
  WebSocket(WebSocket&& other) noexcept;
  WebSocket& operator=(WebSocket&& other) noexcept;
  ~WebSocket();

  /// `while (auto message = co_await ws.receive())`. One waits at a time.
  ///
  /// returns  the next message, valid until the next `receive`; nothing when there will be none
  [[nodiscard]] ReceiveAwaiter receive() noexcept;

  /// `co_await ws.send(text)` waits only while the client is slow. What is sent in one go leaves
  /// together when the handler waits for anything.
  ///
  /// text     UTF-8; not kept when this has returned
  /// returns  false when the connection has ended
  [[nodiscard]] SendAwaiter send(std::string_view text);
  [[nodiscard]] SendAwaiter send_binary(std::string_view bytes);
  [[nodiscard]] SendAwaiter send(const WsMessage& message);

 private:
  friend class ws::detail::WsSession;
  friend class WebSocketCalls<WebSocket>;
  [[nodiscard]] ws::detail::WsSession* session() const noexcept { return session_; }
  explicit WebSocket(ws::detail::WsSession& session) noexcept;

  ws::detail::WsSession* session_ = nullptr;  // null: gone
};

/// What `receive` gives to `co_await`. The WebSocket stays where it is meanwhile.
class [[nodiscard]] WebSocket::ReceiveAwaiter final : private ws::detail::WsWaiter {
 public:
  explicit ReceiveAwaiter(WebSocket& socket) noexcept : socket_(socket) {}
  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  std::optional<WsMessage> await_resume();

 private:
  WebSocket& socket_;
};

/// What `send` gives to `co_await`: the message is on its way already.
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

/// For many connections that are mostly idle: no coroutine, no memory of their own. One set serves
/// all connections of a route, or a handler returns one for each.
///
/// What a callback throws closes its connection with 1011.
struct WebSocketHandlers {
  std::function<void(WebSocketRef& socket)> opened = {};
  /// message  valid until the call returns
  std::function<void(WebSocketRef& socket, const WsMessage& message)> message = {};
  /// Once for each `opened`: the connection has ended, see close_code(). The last call.
  std::function<void(WebSocketRef& socket)> closed = {};
};

}  // namespace eider
