// A connection that leaves HTTP/1.1 for another protocol (RFC 9110, section 7.8).
// Must not know which one: server/detail/conn_h1 hands over, the protocol's own class takes over.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/base/secured_by.h"
#include "eider/http/response.h"
#include "eider/runtime/stream.h"

namespace eider {

/// What a protocol may do with the connection it has taken over.
class UpgradedLine {
 public:
  /// Bytes out go to `stream().output()`. Never close the stream: end the connection by `close`.
  [[nodiscard]] virtual Stream& stream() noexcept = 0;
  /// As Peer::address: the client's, also behind a proxy that has told it.
  [[nodiscard]] virtual std::string address() const = 0;
  /// As Peer::secured_by.
  [[nodiscard]] virtual std::optional<SecuredBy> secured_by() const { return std::nullopt; }
  /// Ends the connection: the stream is closed and the protocol's object destroyed later in this
  /// turn, never inside this call. Flush the stream first; what waits then is dropped.
  virtual void close() noexcept = 0;

 protected:
  ~UpgradedLine() = default;
};

/// Lives as long as the connection. Calls come on the loop's thread, never from within a call to
/// the line. None of them may throw.
class Upgraded {
 public:
  virtual ~Upgraded() = default;
  /// Bytes arrived, at least one; they are valid until the call returns.
  virtual void on_bytes(std::string_view bytes) = 0;
  /// The peer sends no more.
  virtual void on_end() = 0;
  /// All that the socket had refused has left.
  virtual void on_drained() = 0;
  /// The connection is gone; the object is destroyed when this returns.
  virtual void on_broken() = 0;
  /// The server stops: say goodbye, and close the line soon. What is left at the drain's deadline
  /// is destroyed.
  virtual void on_stopping() = 0;
};

/// A response with status 101 carries one. The server writes the head with its fields (Upgrade,
/// Sec-WebSocket-Accept, …) and adds `Connection: Upgrade`.
class Upgrade : public Content {
 public:
  /// Called once, when the head of the 101 has been corked; `line` outlives the result. What the
  /// client has sent behind its request comes by `on_bytes`.
  [[nodiscard]] virtual std::unique_ptr<Upgraded> take_over(UpgradedLine& line) = 0;
};

}  // namespace eider
