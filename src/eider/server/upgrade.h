// The transition of a connection (RFC 9110, 7.8) or stream (RFC 8441) to another protocol.
// Layering: must not know the protocol: HTTP's connection hands over, the class of the protocol
// takes over.
#pragma once

#include <memory>

#include "eider/io/runtime/upgraded.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// A response with status 101 has one. The server writes the headers (Upgrade,
/// Sec-WebSocket-Accept, …) and adds `Connection: Upgrade`. Over HTTP/2 it sends 200 instead, and
/// only for requests that `opens_websocket`.
class Upgrade {
 public:
  Upgrade() = default;
  Upgrade(const Upgrade&) = delete;
  Upgrade& operator=(const Upgrade&) = delete;
  virtual ~Upgrade() = default;

  /// Called once, when the headers are in the cork; `line` outlives the result. Bytes that the
  /// client has sent after its request are passed to `on_bytes`.
  [[nodiscard]] virtual UpgradedPtr take_over(UpgradedLine& line) = 0;
};

}  // namespace eider
