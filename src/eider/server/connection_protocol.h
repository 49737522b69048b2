// The interface of another protocol than HTTP/1.1 on the same port.
// Layering: must not know the protocol: its first bytes select it.
#pragma once

#include <memory>
#include <string_view>

#include "eider/server/upgrade.h"

namespace eider {

namespace detail::server {
struct LoopContext;
}

/// Creates the connections of a protocol on one loop.
class ProtocolFactory {
 public:
  virtual ~ProtocolFactory() = default;
  /// Returns the bytes that select this protocol when a connection starts with them.
  [[nodiscard]] virtual std::string_view preface() const noexcept = 0;
  /// Returns its name in ALPN (RFC 7301); a connection that agreed on it starts with the preface.
  [[nodiscard]] virtual std::string_view alpn_name() const noexcept = 0;
  /// Creates the protocol for a connection whose first bytes are, or should be, the preface. `line`
  /// outlives the result.
  [[nodiscard]] virtual UpgradedPtr take_over(UpgradedLine& line) = 0;
};

/// A protocol that the application enables, shared by all loops.
class ConnectionProtocol {
 public:
  virtual ~ConnectionProtocol() = default;
  /// Returns its name in ALPN (RFC 7301): "h2".
  [[nodiscard]] virtual std::string_view alpn() const noexcept = 0;
  /// context  must outlive the result
  [[nodiscard]] virtual std::unique_ptr<ProtocolFactory> on_loop(
      detail::server::LoopContext& context) const = 0;
};

}  // namespace eider
