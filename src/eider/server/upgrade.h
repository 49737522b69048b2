// The transition of a connection (RFC 9110, 7.8) or stream (RFC 8441) to another protocol.
// Layering: must not know the protocol: HTTP's connection hands over, the class of the protocol
// takes over.
#pragma once

#include <memory>

#include "eider/io/runtime/upgraded.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// A response with status 101 carries one. The server writes the head with its fields (Upgrade,
/// Sec-WebSocket-Accept, …) and adds `Connection: Upgrade`; over HTTP/2 it says 200 instead, and
/// only to requests that `opens_websocket`.
class Upgrade {
 public:
  Upgrade() = default;
  Upgrade(const Upgrade&) = delete;
  Upgrade& operator=(const Upgrade&) = delete;
  virtual ~Upgrade() = default;

  /// Called once, when that head has been corked; `line` outlives the result. What the
  /// client has sent behind its request comes by `on_bytes`.
  [[nodiscard]] virtual UpgradedPtr take_over(UpgradedLine& line) = 0;
};

}  // namespace eider
