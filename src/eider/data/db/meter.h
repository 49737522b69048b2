// Counters for the statements of a database.
// Layering: must not cost more than checking a flag if nothing reads the counters.
#pragma once

#include <atomic>
#include <chrono>

#include "eider/core/base/metric.h"

namespace eider::db {

/// Counts statements, beginnings and ends of transactions, and other calls that wait for a
/// database. Thread-safe.
class Meter {
 public:
  using Clock = std::chrono::steady_clock;

  /// It counts from then on.
  void turn_on() noexcept { is_on_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }

  void note_begin() noexcept { in_flight.add(1); }
  void note_end(Clock::time_point began, bool has_failed) noexcept {
    in_flight.add(-1);
    seconds.observe(std::chrono::duration<double>(Clock::now() - began).count());
    if (has_failed) {
      failed.add();
    }
  }

  /// Calls that are running or waiting for a connection.
  Gauge in_flight;
  /// Duration of calls, including the wait for a connection.
  Histogram seconds;
  /// Calls that threw or were canceled.
  Counter failed;

 private:
  std::atomic<bool> is_on_{false};
};

}  // namespace eider::db
