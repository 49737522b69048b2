// For how long the machine was too busy: a test of times leaves that out of account.
// Layering: must not be linked into an application.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "eider/io/runtime/time.h"

namespace eider {

/// Adds by how much a thread that only sleeps is late. Less than 20 ms is usual. A loop that is
/// blocked by its own code does not count, because the thread is not that of a loop.
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
