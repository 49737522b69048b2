// All connections of one event loop.
// Layering: must not decide when connections end, except all at once.
#pragma once

#include <cstddef>
#include <vector>

#include "eider/core/base/slab.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/server/connection.h"
#include "eider/server/state.h"

namespace eider::detail::server {

/// Called when one of the loop's connections has ended.
class ConnectionCounter {
 public:
  virtual void on_connection_ended() noexcept = 0;

 protected:
  ~ConnectionCounter() = default;
};

class Connections final {
 public:
  Connections(LoopContext& context, ConnectionCounter& counter) noexcept
      : context_(context), counter_(counter) {
    context_.connections = this;
  }
  ~Connections() { close_all(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  void open(Descriptor fd, Preface preface = {});
  /// Closes idle connections, and ends responses without an end. Clients that have sent no request
  /// yet have time to send one.
  ///
  /// since       the time at which the server began to stop
  /// kept_until  until then, clients that have sent a request may send one more
  void close_idle(Instant since, Instant kept_until = Instant::min()) noexcept;
  /// Closes all connections at once; tasks that outlive their client stay with the context.
  void close_all() noexcept;
  /// Called when the connection is over and may be destroyed; it does nothing afterwards.
  void on_closed(Connection& connection) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }
  /// Returns the number of memory blocks for connections.
  [[nodiscard]] std::size_t blocks() const noexcept { return slab_.blocks(); }
  /// Returns the state of at most `count_max` connections.
  [[nodiscard]] ConnectionsState state(std::size_t count_max) const;

 private:
  LoopContext& context_;
  ConnectionCounter& counter_;
  Slab<Connection> slab_;
  std::vector<Connection*> connections_;
};

}  // namespace eider::detail::server
