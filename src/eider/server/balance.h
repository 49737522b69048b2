// Counts the connections of each event loop, and selects the loop for a new one.
// Layering: must not move connections: its caller does.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

namespace eider::detail::server {

/// Shared by all loops of a server. The kernel spreads new connections by hash, which leaves ten
/// long-lived ones on four loops badly uneven; so every accepted connection is placed here.
///
/// No loop is given a connection when it has more than the least busy one, so that none gets more
/// than one above it. From eight connections per loop on, an eighth more is let pass: moving costs
/// a wake-up, and short connections would be moved about for nothing.
class Balance {
 public:
  Balance(std::size_t loops, std::size_t connections_max);
  /// For those that come from now on.
  void set_connections_max(std::size_t connections_max);

  /// Counts a new connection.
  ///
  /// loop     the one that accepted it
  /// returns  the loop that is to have it; nothing when the server has as many as it may
  /// cost     a short lock, so that racing accepts are placed one after the other
  [[nodiscard]] std::optional<std::size_t> place(std::size_t loop);
  /// The loop is given no connection any more, once it has none and none is on its way to it.
  ///
  /// returns  false while there are any
  [[nodiscard]] bool try_retire(std::size_t loop);
  /// One of this loop's connections has ended.
  void release(std::size_t loop) noexcept;

  [[nodiscard]] std::size_t count(std::size_t loop) const noexcept {
    return loops_[loop].connections.load(std::memory_order_relaxed);
  }

 private:
  /// On a cache line of its own, since each loop counts its own ends.
  struct alignas(64) PerLoop {
    std::atomic<std::size_t> connections{0};
    bool is_retired = false;
  };

  std::mutex placing_;
  std::vector<PerLoop> loops_;
  std::size_t connections_max_;
};

}  // namespace eider::detail::server
