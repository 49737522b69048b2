// WebSocketRef and WebSocket: thin over the session, which may be gone under a WebSocket.
#include <utility>

#include "eider/server/detail/ws_session.h"
#include "eider/server/websocket.h"

namespace eider {

namespace {

detail::WsSession& session_of(WebSocketRef& socket) noexcept {
  return static_cast<detail::WsSession&>(socket);
}
const detail::WsSession& session_of(const WebSocketRef& socket) noexcept {
  return static_cast<const detail::WsSession&>(socket);
}

}  // namespace

WsSent WebSocketRef::try_send(const WsMessage& message) {
  return session_of(*this).put_unless_slow(message);
}

WsSent WebSocketRef::try_send(const WsMessage& message, WhenSlow when_slow) {
  return session_of(*this).put_unless_slow(message, when_slow);
}

void WebSocketRef::close(CloseCode code, std::string_view reason) {
  session_of(*this).close(code, reason);
}

void WebSocketRef::ping(std::string_view payload) {
  session_of(*this).send_ping(payload);
}

void WebSocketRef::subscribe(std::string_view topic) {
  if (is_open()) {
    session_of(*this).hub().subscribe(session_of(*this), topic);
  }
}

void WebSocketRef::unsubscribe(std::string_view topic) {
  session_of(*this).hub().unsubscribe(session_of(*this), topic);
}

void WebSocketRef::publish(std::string_view topic, const WsMessage& message) {
  session_of(*this).hub().publish(topic, message, nullptr);
}

void WebSocketRef::publish_to_others(std::string_view topic, const WsMessage& message) {
  session_of(*this).hub().publish(topic, message, &session_of(*this));
}

bool WebSocketRef::is_open() const noexcept {
  return session_of(*this).is_open();
}

CloseCode WebSocketRef::close_code() const noexcept {
  return session_of(*this).code();
}

std::string_view WebSocketRef::close_reason() const noexcept {
  return session_of(*this).reason();
}

std::string_view WebSocketRef::subprotocol() const noexcept {
  return session_of(*this).agreed_subprotocol();
}

std::string WebSocketRef::remote_address() const {
  return session_of(*this).address();
}

std::size_t WebSocketRef::dropped() const noexcept {
  return session_of(*this).dropped_count();
}

// WebSocket.

WebSocket::WebSocket(detail::WsSession& session) noexcept : session_(&session) {
  session_->change_handle(this);
}

WebSocket::WebSocket(WebSocket&& other) noexcept
    : session_(std::exchange(other.session_, nullptr)) {
  if (session_ != nullptr) {
    session_->change_handle(this);
  }
}

WebSocket& WebSocket::operator=(WebSocket&& other) noexcept {
  if (this != &other) {
    if (session_ != nullptr) {
      session_->change_handle(nullptr);
    }
    session_ = std::exchange(other.session_, nullptr);
    if (session_ != nullptr) {
      session_->change_handle(this);
    }
  }
  return *this;
}

WebSocket::~WebSocket() {
  if (session_ != nullptr) {
    session_->change_handle(nullptr);
  }
}

bool WebSocket::is_open() const noexcept {
  return session_ != nullptr && session_->is_open();
}

WebSocket::SendAwaiter WebSocket::send(const WsMessage& message) {
  if (is_open()) {
    session_->put(message);
  }
  return SendAwaiter(*this);
}

WebSocket::SendAwaiter WebSocket::send(std::string_view text) {
  return send(WsMessage{ws::MessageType::text, text});
}

WebSocket::SendAwaiter WebSocket::send_binary(std::string_view bytes) {
  return send(WsMessage{ws::MessageType::binary, bytes});
}

WsSent WebSocket::try_send(const WsMessage& message) {
  return session_ == nullptr ? WsSent::ended : session_->put_unless_slow(message);
}

WsSent WebSocket::try_send(const WsMessage& message, WhenSlow when_slow) {
  return session_ == nullptr ? WsSent::ended : session_->put_unless_slow(message, when_slow);
}

void WebSocket::close(CloseCode code, std::string_view reason) {
  if (session_ != nullptr) {
    session_->close(code, reason);
  }
}

void WebSocket::ping(std::string_view payload) {
  if (session_ != nullptr) {
    session_->send_ping(payload);
  }
}

void WebSocket::subscribe(std::string_view topic) {
  if (is_open()) {
    session_->subscribe(topic);
  }
}

void WebSocket::unsubscribe(std::string_view topic) {
  if (session_ != nullptr) {
    session_->unsubscribe(topic);
  }
}

void WebSocket::publish(std::string_view topic, const WsMessage& message) {
  if (session_ != nullptr) {
    session_->publish(topic, message);
  }
}

void WebSocket::publish_to_others(std::string_view topic, const WsMessage& message) {
  if (session_ != nullptr) {
    session_->publish_to_others(topic, message);
  }
}

CloseCode WebSocket::close_code() const noexcept {
  return session_ == nullptr ? CloseCode::abnormal : session_->code();
}

std::string_view WebSocket::close_reason() const noexcept {
  return session_ == nullptr ? std::string_view() : session_->reason();
}

std::string_view WebSocket::subprotocol() const noexcept {
  return session_ == nullptr ? std::string_view() : session_->agreed_subprotocol();
}

std::string WebSocket::remote_address() const {
  return session_ == nullptr ? std::string() : session_->address();
}

// What is awaited.

bool WebSocket::ReceiveAwaiter::await_ready() {
  return socket_.session_ == nullptr || socket_.session_->has_news();
}

void WebSocket::ReceiveAwaiter::await_suspend(std::coroutine_handle<> waiting) noexcept {
  wait_in(socket_.session_->arrival(), waiting);
}

std::optional<WsMessage> WebSocket::ReceiveAwaiter::await_resume() {
  return socket_.session_ == nullptr ? std::nullopt : socket_.session_->take();
}

bool WebSocket::SendAwaiter::await_ready() noexcept {
  return !socket_.is_open() || socket_.session_->has_room();
}

void WebSocket::SendAwaiter::await_suspend(std::coroutine_handle<> waiting) noexcept {
  wait_in(socket_.session_->room(), waiting);
}

}  // namespace eider
