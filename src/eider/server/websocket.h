// One WebSocket connection as a handler sees it (RFC 6455), and what it may cost.
// Must not read or write frames: http/ws does; what joins it to a connection is detail/ws_session.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/base/intrusive_list.h"
#include "eider/http/ws/close_code.h"
#include "eider/http/ws/deflate_offer.h"
#include "eider/http/ws/extension.h"
#include "eider/http/ws/message_reader.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/time.h"

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

/// permessage-deflate (RFC 7692), as a component beyond the core provides it.
struct WebSocketCompression {
  ws::DeflateWishes wishes = {};
  /// Makes the codec of one connection. Empty: nothing is compressed.
  std::function<std::unique_ptr<ws::MessageCodec>(const ws::DeflateTerms&)> make_codec = {};
};

/// What one client of a route may cost, and for how long.
struct WebSocketOptions {
  /// Of one message, decompressed; a larger one ends the connection with 1009.
  std::size_t message_bytes_max = 1024UL * 1024;
  /// Frames of one message; more end the connection with 1009.
  std::uint32_t fragments_max = 1U << 16U;
  /// From a message's first byte to its last; then 1008.
  Duration message_within = std::chrono::seconds(60);

  /// Messages that have arrived and that the handler has not received: beyond either bound nothing
  /// more is read from the client.
  std::size_t queued_bytes_max = 1024UL * 1024;
  std::size_t queued_messages_max = 256;

  /// What may wait for a slow client before `publish` and `try_send` do as `when_slow` says.
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
  /// Pings, pongs and empty frames of one second without a message; more end it with 1008.
  std::uint32_t control_frames_per_second_max = 100;

  /// In the server's order of preference. The first that the client offers is used; when it offers
  /// none of them the connection has none.
  std::vector<std::string> subprotocols = {};
  /// Whose pages may connect, e.g. "https://example.com"; "*": everybody's. The server's own host
  /// always may, and whoever sends no Origin: that is no browser.
  std::vector<std::string> origins = {};
  WebSocketCompression compression = {};
};

/// A connection as callbacks see it: its address is its name, from `opened` until `closed` returns.
/// It belongs to its loop's thread.
class WebSocketRef {
 public:
  WebSocketRef(const WebSocketRef&) = delete;
  WebSocketRef& operator=(const WebSocketRef&) = delete;

  /// Sends unless the client is too slow: WebSocketOptions::backpressure_bytes_max.
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

  /// What is published under this topic is sent to this connection, once, until it ends.
  void subscribe(std::string_view topic);
  void unsubscribe(std::string_view topic);
  /// To all subscribers of this app's sockets on all threads, this one too when it is one.
  void publish(std::string_view topic, std::string_view text) {
    publish(topic, {ws::MessageType::text, text});
  }
  void publish(std::string_view topic, const WsMessage& message);
  /// To all but this one.
  void publish_to_others(std::string_view topic, const WsMessage& message);

  /// Messages can still be sent.
  [[nodiscard]] bool is_open() const noexcept;
  /// Of the client's close frame, else of ours; `abnormal` when there was none, or not yet.
  [[nodiscard]] CloseCode close_code() const noexcept;
  [[nodiscard]] std::string_view close_reason() const noexcept;
  /// What was agreed on; empty when nothing was.
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  /// The client's address as text, without the port; empty when the connection is gone.
  [[nodiscard]] std::string remote_address() const;
  /// Messages for this connection that were left out because it was slow.
  [[nodiscard]] std::size_t dropped() const noexcept;

 protected:
  WebSocketRef() = default;
  ~WebSocketRef() = default;
};

namespace detail {

class WsSession;

/// A coroutine that waits: in a queue of its connection, and when that wakes it, in the loop's. A
/// silent connection's handler holds one, so it is half of what an Event's would be.
class WsWaiter : public Deferred {
 public:
  /// Whoever wakes takes it out and defers it; it leaves by itself when it is destroyed.
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

}  // namespace detail

/// A connection as a handler owns it. When the handler returns, the connection is closed with 1000,
/// or with 1011 when it threw.
///
/// The connection owns the handler. When the client is gone `receive` ends; a handler that then
/// waits for something else is destroyed where it waits after WebSocketOptions::close_within.
class WebSocket {
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

  // As WebSocketRef; without effect when the connection is gone.
  WsSent try_send(std::string_view text) { return try_send({ws::MessageType::text, text}); }
  WsSent try_send(const WsMessage& message);
  WsSent try_send(const WsMessage& message, WhenSlow when_slow);
  void close(CloseCode code = CloseCode::normal, std::string_view reason = {});
  void ping(std::string_view payload = {});
  void subscribe(std::string_view topic);
  void unsubscribe(std::string_view topic);
  void publish(std::string_view topic, std::string_view text) {
    publish(topic, {ws::MessageType::text, text});
  }
  void publish(std::string_view topic, const WsMessage& message);
  void publish_to_others(std::string_view topic, const WsMessage& message);

  [[nodiscard]] bool is_open() const noexcept;
  [[nodiscard]] CloseCode close_code() const noexcept;
  [[nodiscard]] std::string_view close_reason() const noexcept;
  [[nodiscard]] std::string_view subprotocol() const noexcept;
  [[nodiscard]] std::string remote_address() const;

 private:
  friend class detail::WsSession;
  explicit WebSocket(detail::WsSession& session) noexcept;

  detail::WsSession* session_ = nullptr;  // null: gone
};

/// What `receive` gives to `co_await`. The WebSocket stays where it is meanwhile.
class [[nodiscard]] WebSocket::ReceiveAwaiter final : private detail::WsWaiter {
 public:
  explicit ReceiveAwaiter(WebSocket& socket) noexcept : socket_(socket) {}
  [[nodiscard]] bool await_ready();
  void await_suspend(std::coroutine_handle<> waiting) noexcept;
  std::optional<WsMessage> await_resume();

 private:
  WebSocket& socket_;
};

/// What `send` gives to `co_await`: the message is on its way already.
class WebSocket::SendAwaiter final : private detail::WsWaiter {
 public:
  explicit SendAwaiter(WebSocket& socket) noexcept : socket_(socket) {}
  [[nodiscard]] bool await_ready() noexcept;
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
