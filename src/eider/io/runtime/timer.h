// A callback at an instant, unless the timer is disarmed or destroyed before.
// Layering: must not be armed from another thread than its loop's.
#pragma once

#include <cstdint>

#include "eider/core/base/intrusive_list.h"

namespace eider {

/// Derive from it and arm it with `Loop::arm`. Its destructor disarms. It costs 32 bytes.
class Timer : private ListNode {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  /// Called once per arming, never early. May arm again, and may destroy the timer.
  virtual void expire() = 0;

  [[nodiscard]] bool is_armed() const noexcept { return is_linked(); }
  void disarm() noexcept { unlink(); }

 protected:
  ~Timer() = default;

 private:
  friend class TimerWheel;
  friend class IntrusiveList<Timer>;

  std::uint64_t tick_ = 0;
};

}  // namespace eider
