// Another protocol than HTTP/1.1 on the same port, as a server is given it.
// Must not know which one: it is recognised by its first bytes, or asked for by an upgrade.
#pragma once

#include <memory>
#include <string_view>

#include "eider/http/request.h"
#include "eider/http/response.h"
#include "eider/server/upgrade.h"

namespace eider {

namespace detail {
struct LoopContext;
}

/// A protocol on one loop.
class LoopProtocol {
 public:
  virtual ~LoopProtocol() = default;
  /// A connection that begins with these bytes is taken over, before anything has been answered.
  [[nodiscard]] virtual std::string_view preface() const noexcept = 0;
  /// Its name in ALPN (RFC 7301): a connection that has agreed on it begins with the preface.
  [[nodiscard]] virtual std::string_view alpn_name() const noexcept = 0;
  /// The first bytes that come are the preface, or should be. `line` outlives the result.
  [[nodiscard]] virtual std::unique_ptr<Upgraded> take_over(UpgradedLine& line) = 0;
  /// A request without content, in the clear, asks for an upgrade to something: fills in the 101
  /// with its Upgrade (upgrade.h) when this is it. False leaves the request to HTTP/1.1.
  [[nodiscard]] virtual bool upgrade(const Request& request, Response& response) = 0;
};

/// A protocol as the application chooses it, shared by all loops.
class ConnectionProtocol {
 public:
  virtual ~ConnectionProtocol() = default;
  /// Its name in ALPN (RFC 7301): "h2".
  [[nodiscard]] virtual std::string_view alpn() const noexcept = 0;
  /// context  outlives the result
  [[nodiscard]] virtual std::unique_ptr<LoopProtocol> on_loop(
      detail::LoopContext& context) const = 0;
};

}  // namespace eider
