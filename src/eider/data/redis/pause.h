// The time during which a server that has just failed is not used.
// Layering: must not be used if no other source can respond.
#pragma once

#include <atomic>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::redis {

/// Thread-safe, because all loops use the same clock.
class Pause {
 public:
  explicit Pause(Duration length) noexcept : length_(length) {}
  [[nodiscard]] bool is_on() const noexcept {
    return Loop::current().now().time_since_epoch().count() <
           until_.load(std::memory_order_relaxed);
  }
  void begin() noexcept {
    until_.store((Loop::current().now() + length_).time_since_epoch().count(),
                 std::memory_order_relaxed);
  }

 private:
  const Duration length_;
  std::atomic<Duration::rep> until_ = 0;
};

}  // namespace eider::detail::redis
