// WebSocketRef and WebSocket: thin wrappers of the session, which may end before a WebSocket.
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_calls.h"
#include "eider/io/ws/ws_session.h"

namespace eider {

ws::DeflateWishes WebSocketCompression::wishes(ws::Side own) const noexcept {
  const auto own_takeover = how_.keeps_own_context ? ws::Takeover::kept : ws::Takeover::dropped;
  const auto peers_takeover = how_.keeps_peer_context ? ws::Takeover::kept : ws::Takeover::dropped;
  if (own == ws::Side::server) {
    return {.terms = {own_takeover, peers_takeover, how_.own_window_bits, how_.peer_window_bits}};
  }
  return {.terms = {peers_takeover, own_takeover, how_.peer_window_bits, how_.own_window_bits}};
}

// All objects of this class are sessions.
ws::detail::WsSession* WebSocketRef::session() noexcept {
  return static_cast<ws::detail::WsSession*>(this);
}
const ws::detail::WsSession* WebSocketRef::session() const noexcept {
  return static_cast<const ws::detail::WsSession*>(this);
}

template class WebSocketCalls<WebSocketRef>;
template class WebSocketCalls<WebSocket>;

// WebSocket.

WebSocket::WebSocket(ws::detail::WsSession& session) noexcept : session_(&session) {
  // The session knows its handle, so each move updates the pointer.
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

WebSocket::SendAwaiter WebSocket::send(const WsMessage& message) {
  if (is_open()) {
    // Written immediately: the awaiter only waits for room.
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

// Awaiters.

bool WebSocket::ReceiveAwaiter::await_ready() {
  return socket_.session_ == nullptr || socket_.session_->has_news();
}

void WebSocket::ReceiveAwaiter::await_suspend(std::coroutine_handle<> waiting) noexcept {
  // Each message goes to one task, so only one may wait.
  ensure(socket_.session_->arrival().empty(), "two tasks receive from one WebSocket");
  wait_in(socket_.session_->arrival(), waiting);
}

std::optional<WsMessage> WebSocket::ReceiveAwaiter::await_resume() {
  return socket_.session_ == nullptr ? std::nullopt : socket_.session_->take();
}

bool WebSocket::SendAwaiter::await_ready() {
  return !socket_.is_open() || socket_.session_->has_room();
}

void WebSocket::SendAwaiter::await_suspend(std::coroutine_handle<> waiting) noexcept {
  wait_in(socket_.session_->room(), waiting);
}

}  // namespace eider
