// How late a sleeping thread wakes on this machine: the median, followed as it changes.
// Must not be thrown off by the rare long delay.
#pragma once

#include <algorithm>
#include <chrono>

namespace network {

/// Moves by one step towards each sample, so that it settles where half of them are larger.
class WakeLag {
 public:
  static constexpr std::chrono::nanoseconds kMax = std::chrono::microseconds(300);

  void note(std::chrono::nanoseconds sample) noexcept {
    lag_ = std::clamp(lag_ + (sample > lag_ ? kStep : -kStep), std::chrono::nanoseconds(0), kMax);
  }
  [[nodiscard]] std::chrono::nanoseconds typical() const noexcept { return lag_; }

 private:
  static constexpr std::chrono::nanoseconds kStep = std::chrono::microseconds(1);

  std::chrono::nanoseconds lag_ = std::chrono::microseconds(50);
};

}  // namespace network
