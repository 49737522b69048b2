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

/// What all connections of one route share. It outlives them.
struct WsRoute {
  /// pattern  for log lines
  explicit WsRoute(WebSocketOptions its_options, std::string its_pattern = {});

  const WebSocketOptions options;
  const ws::MessageLimits limits;
  const std::string pattern;
};

/// What was agreed on in the handshake.
struct WsAgreement {
  static constexpr std::uint8_t kNoSubprotocol = 0xFF;
  /// Index into WebSocketOptions::subprotocols.
  std::uint8_t subprotocol = kNoSubprotocol;
  std::optional<ws::DeflateTerms> compression = std::nullopt;
};

/// Makes the task of one connection, and is not kept: a coroutine's captures must live elsewhere.
using WsHandler = std::move_only_function<Task<>(WebSocket)>;

/// A request that becomes a WebSocket, with the values of the response's fields.
struct WsAccepted {
  ws::Handshake handshake;
  WsAgreement agreement;
  /// Of Sec-WebSocket-Extensions; empty when none is used.
  std::string extensions;
};

/// What the connection is for: a coroutine's, one set of callbacks for all, or one of its own.
struct WsPurpose {
  // NOLINTBEGIN(google-explicit-constructor): each is one, whatever it is
  WsPurpose(WsHandler its_handler) noexcept : handler(std::move(its_handler)) {}
  /// outlives the connection
  WsPurpose(const WebSocketHandlers* callbacks) noexcept : shared(callbacks) {}
  WsPurpose(std::unique_ptr<WebSocketHandlers> callbacks) noexcept : own(std::move(callbacks)) {}
  // NOLINTEND(google-explicit-constructor)

  WsHandler handler;
  const WebSocketHandlers* shared = nullptr;
  std::unique_ptr<WebSocketHandlers> own;
};

}  // namespace eider::ws::detail
