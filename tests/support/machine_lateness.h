// Measures for how long the machine was too busy, so that tests of times can subtract it.
// Layering: must not be linked into an application.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "eider/io/runtime/time.h"

namespace eider {

/// Adds up the delays of a thread that only sleeps. Delays below 20 ms are usual. A loop that its
/// own code blocks does not count, because the thread does not run a loop.
class MachineLateness {
 public:
  [[nodiscard]] Duration total() const noexcept { return Duration(total_.load()); }

 private:
  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto due = std::chrono::steady_clock::now() + std::chrono::milliseconds(5);
      std::this_thread::sleep_until(due);
      const Duration by = std::chrono::steady_clock::now() - due;
      if (by > std::chrono::milliseconds(20)) {
        total_ += by.count();
      }
    }
  }

  std::atomic<std::int64_t> total_{0};
  // The last member: the thread ends before the others.
  std::jthread thread_{[this](const std::stop_token& stop) { watch(stop); }};
};

}  // namespace eider
