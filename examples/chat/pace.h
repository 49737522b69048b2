// How fast one page may speak: a few messages at once, then so many per second.
// Must not read the clock: the time is handed in.
#pragma once

#include <eider/runtime/time.h>

#include <algorithm>

namespace chat {

class Pace {
 public:
  static constexpr int kAtOnce = 10;
  static constexpr double kPerSecond = 2;

  /// Whether one more message is in order; it is counted when it is.
  [[nodiscard]] bool try_step(eider::Instant now) noexcept {
    const std::chrono::duration<double> since = now - last_;
    last_ = now;
    left_ = std::min<double>(kAtOnce, left_ + since.count() * kPerSecond);
    if (left_ < 1) {
      return false;
    }
    left_ -= 1;
    return true;
  }

 private:
  double left_ = kAtOnce;
  eider::Instant last_;
};

}  // namespace chat
