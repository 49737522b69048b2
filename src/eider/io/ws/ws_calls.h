// The implementation of WebSocketCalls, for sources that instantiate them.
// Layering: must not be included by headers: it knows the session.
#pragma once

#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_session.h"

namespace eider {

template <class Holder>
WsSent WebSocketCalls<Holder>::try_send(const WsMessage& message) {
  return session() == nullptr ? WsSent::ended
                              : try_send(message, session()->output().options().slow_consumer);
}

template <class Holder>
WsSent WebSocketCalls<Holder>::try_send(const WsMessage& message, SlowConsumer slow_consumer) {
  const WsSent sent = session() == nullptr ? WsSent::ended : session()->admits(1, slow_consumer);
  if (sent == WsSent::taken) {
    session()->put(message);
  }
  return sent;
}

template <class Holder>
void WebSocketCalls<Holder>::close(CloseCode code, std::string_view reason) {
  if (session() != nullptr) {
    session()->close(code, reason);
  }
}

template <class Holder>
void WebSocketCalls<Holder>::ping(std::string_view payload) {
  if (session() != nullptr) {
    session()->send_ping(payload);
  }
}

template <class Holder>
void WebSocketCalls<Holder>::subscribe(std::string_view topic) {
  if (is_open()) {
    session()->output().shared().topics()->subscribe(*session(), topic);
  }
}

template <class Holder>
void WebSocketCalls<Holder>::unsubscribe(std::string_view topic) {
  if (session() != nullptr) {
    session()->output().shared().topics()->unsubscribe(*session(), topic);
  }
}

template <class Holder>
void WebSocketCalls<Holder>::publish(std::string_view topic, const WsMessage& message) {
  if (session() != nullptr) {
    session()->publish(topic, message, nullptr);
  }
}

template <class Holder>
void WebSocketCalls<Holder>::publish_to_others(std::string_view topic, const WsMessage& message) {
  if (session() != nullptr) {
    session()->publish(topic, message, session());
  }
}

template <class Holder>
bool WebSocketCalls<Holder>::is_open() const noexcept {
  return session() != nullptr && session()->is_open();
}

template <class Holder>
CloseCode WebSocketCalls<Holder>::close_code() const noexcept {
  return session() == nullptr ? CloseCode::abnormal : session()->code();
}

template <class Holder>
std::string_view WebSocketCalls<Holder>::close_reason() const noexcept {
  return session() == nullptr ? std::string_view() : session()->reason();
}

template <class Holder>
std::string_view WebSocketCalls<Holder>::subprotocol() const noexcept {
  return session() == nullptr ? std::string_view() : session()->agreed_subprotocol();
}

template <class Holder>
std::string WebSocketCalls<Holder>::remote_address() const {
  return session() == nullptr ? std::string() : session()->address();
}

template <class Holder>
std::size_t WebSocketCalls<Holder>::dropped() const noexcept {
  return session() == nullptr ? 0 : session()->dropped_count();
}

}  // namespace eider
