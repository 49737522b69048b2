// Counters of one event loop: written by its thread, read by all threads.
// Layering: must not cost anything for a request with an immediate response.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "eider/core/base/metric.h"

namespace eider::detail::server {

using base::add_alone;

/// The protocol of a connection.
enum class Spoken : std::uint8_t {
  opening,  // none yet: waits for the handshake or the first bytes
  http1,
  http2,
  websocket,  // or another protocol after an HTTP/1.1 upgrade
  closing,
};
inline constexpr std::size_t kSpokenCount = 5;

/// Shared with its readers: it may outlive its loop.
class LoopNumbers {
 public:
  void add(Spoken spoken) noexcept { change(spoken, 1); }
  void take_off(Spoken spoken) noexcept { change(spoken, -1); }
  void note_accepted() noexcept { add_alone(accepted_, std::int64_t{1}); }
  void set_in_flight(std::size_t count) noexcept {
    in_flight_.store(static_cast<std::int64_t>(count), std::memory_order_relaxed);
  }

  // From any thread.
  [[nodiscard]] std::int64_t connections(Spoken spoken) const noexcept {
    return connections_[static_cast<std::size_t>(spoken)].load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::int64_t accepted() const noexcept {
    return accepted_.load(std::memory_order_relaxed);
  }
  /// Requests that wait for their body or their response.
  [[nodiscard]] std::int64_t in_flight() const noexcept {
    return in_flight_.load(std::memory_order_relaxed);
  }

 private:
  void change(Spoken spoken, std::int64_t by) noexcept {
    add_alone(connections_[static_cast<std::size_t>(spoken)], by);
  }

  std::array<std::atomic<std::int64_t>, kSpokenCount> connections_{};
  std::atomic<std::int64_t> accepted_{0};
  std::atomic<std::int64_t> in_flight_{0};
};

/// Returns the counters of the loop that runs on this thread; null if it is not a server's loop.
[[nodiscard]] std::shared_ptr<const LoopNumbers> numbers_here();

}  // namespace eider::detail::server
