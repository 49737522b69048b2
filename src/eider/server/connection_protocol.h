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

/// A protocol on one loop: it makes that of each connection.
class ProtocolFactory {
 public:
  virtual ~ProtocolFactory() = default;
  /// A connection that begins with these bytes is taken over, before anything has been answered.
  [[nodiscard]] virtual std::string_view preface() const noexcept = 0;
  /// Its name in ALPN (RFC 7301): a connection that has agreed on it begins with the preface.
  [[nodiscard]] virtual std::string_view alpn_name() const noexcept = 0;
  /// The first bytes that come are the preface, or should be. `line` outlives the result.
  [[nodiscard]] virtual UpgradedPtr take_over(UpgradedLine& line) = 0;
};

/// A protocol as the application chooses it, shared by all loops.
class ConnectionProtocol {
 public:
  virtual ~ConnectionProtocol() = default;
  /// Its name in ALPN (RFC 7301): "h2".
  [[nodiscard]] virtual std::string_view alpn() const noexcept = 0;
  /// context  outlives the result
  [[nodiscard]] virtual std::unique_ptr<ProtocolFactory> on_loop(
      detail::server::LoopContext& context) const = 0;
};

}  // namespace eider
