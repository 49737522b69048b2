// The settings of a WebSocket route, and the result of a handshake.
// Layering: must stay cheap to include: every application that includes eider.h compiles it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "eider/io/runtime/task.h"
#include "eider/io/ws/websocket.h"
#include "eider/protocols/http/ws/handshake.h"

namespace eider::ws::detail {

/// The state that all connections of one route share. It outlives them.
struct WsRoute {
  /// pattern  for log lines
  explicit WsRoute(WebSocketOptions its_options, std::string its_pattern = {});

  const WebSocketOptions options;
  const ws::MessageLimits limits;
  const std::string pattern;
};

/// The results of the handshake's negotiation.
struct WsAgreement {
  static constexpr std::uint8_t kNoSubprotocol = 0xFF;
  /// Index into WebSocketOptions::subprotocols.
  std::uint8_t subprotocol = kNoSubprotocol;
  std::optional<ws::DeflateTerms> compression = std::nullopt;
};

/// Creates the task of one connection. It is destroyed afterwards, so a coroutine's captures must
/// be stored elsewhere.
using WsHandler = std::move_only_function<Task<>(WebSocket)>;

/// A request that becomes a WebSocket, with the values of the response's headers.
struct WsAccepted {
  ws::Handshake handshake;
  WsAgreement agreement;
  /// The value of Sec-WebSocket-Extensions; empty if none is used.
  std::string extensions;
};

/// The handler of a connection: a coroutine, shared callbacks, or its own callbacks.
struct WsPurpose {
  // NOLINTBEGIN(google-explicit-constructor): each of these converts implicitly
  WsPurpose(WsHandler its_handler) noexcept : handler(std::move(its_handler)) {}
  /// callbacks  must outlive the connection
  WsPurpose(const WebSocketHandlers* callbacks) noexcept : shared(callbacks) {}
  WsPurpose(std::unique_ptr<WebSocketHandlers> callbacks) noexcept : own(std::move(callbacks)) {}
  // NOLINTEND(google-explicit-constructor)

  WsHandler handler;
  const WebSocketHandlers* shared = nullptr;
  std::unique_ptr<WebSocketHandlers> own;
};

}  // namespace eider::ws::detail
