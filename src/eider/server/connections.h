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

/// Learns that one of the loop's connections has ended.
class ConnectionCounter {
 public:
  virtual void on_connection_ended() noexcept = 0;

 protected:
  ~ConnectionCounter() = default;
};

class Connections final : private ConnectionOwner {
 public:
  Connections(LoopContext& context, ConnectionCounter& counter) noexcept
      : context_(context), counter_(counter) {
    context_.connections = this;
  }
  ~Connections() { close_all(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  void open(Descriptor fd, Preface preface = {});
  /// Closes what is idle, and ends what has no end of its own. A client that has asked nothing
  /// yet is given the time to ask once.
  ///
  /// since       the server stops
  /// kept_until  so long a client that has asked before may ask once more
  void close_idle(Instant since, Instant kept_until = Instant::min()) noexcept;
  /// Drops what is in flight; tasks that outlive their client stay with the context.
  void close_all() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return connections_.size(); }
  /// Of memory, for the connections.
  [[nodiscard]] std::size_t blocks() const noexcept { return slab_.blocks(); }
  /// As many are looked at as that at most.
  [[nodiscard]] ConnectionsState state(std::size_t count_max) const;

 private:
  void on_closed(Connection& connection) noexcept override;

  LoopContext& context_;
  ConnectionCounter& counter_;
  Slab<Connection> slab_;
  std::vector<Connection*> connections_;
};

}  // namespace eider::detail::server
