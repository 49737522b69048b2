// Counts the connections of each event loop, and selects the loop for a new one.
// Layering: must not move connections: its caller does.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace eider::detail::server {

/// Shared by all loops of a server. The kernel distributes new connections by hash, which is very
/// uneven for ten long-lived connections on four loops. So each accepted connection is placed here.
///
/// A loop that has more connections than the least busy one gets no new connection, so no placement
/// puts a loop more than one above it. From eight connections per loop on, an excess of one eighth
/// is allowed: moving a connection costs a wake-up, and is wasted on short connections.
class Balance {
 public:
  Balance(std::size_t loops, std::size_t connections_max);
  /// Applies to connections placed from now on.
  void set_connections_max(std::size_t connections_max);

  /// Counts a new connection.
  ///
  /// loop     the loop that accepted it
  /// returns  the loop to serve it; nothing if the server has its maximum of connections
  /// cost     a short lock, so that concurrent accepts are placed one after the other
  [[nodiscard]] std::optional<std::size_t> place(std::size_t loop);
  /// Retires the loop, if it has no connection and none is in transit to it: it gets no more.
  ///
  /// returns  false if it still has connections
  [[nodiscard]] bool try_retire(std::size_t loop);
  /// Counts the end of one of this loop's connections.
  void release(std::size_t loop) noexcept;

  [[nodiscard]] std::size_t count(std::size_t loop) const noexcept {
    return loops_[loop].connections.load(std::memory_order_relaxed);
  }

 private:
  /// Has its own cache line, because each loop counts the ends of its own connections.
  struct alignas(64) PerLoop {
    std::atomic<std::size_t> connections{0};
    bool is_retired = false;
  };

  std::mutex placing_;
  std::vector<PerLoop> loops_;
  std::size_t connections_max_;
};

}  // namespace eider::detail::server
