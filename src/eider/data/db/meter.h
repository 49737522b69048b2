// What a database is asked, counted for whoever watches it.
// Must not cost what nobody watches more than a look at a flag.
#pragma once

#include <atomic>
#include <chrono>

#include "eider/core/base/metric.h"

namespace eider::db {

/// Statements, transactions' begins and ends and whatever else tasks wait for a database for. From
/// any thread.
class Meter {
 public:
  using Clock = std::chrono::steady_clock;

  /// It counts from then on.
  void turn_on() noexcept { is_on_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_on() const noexcept { return is_on_.load(std::memory_order_relaxed); }

  void note_begin() noexcept { under_way.add(1); }
  void note_end(Clock::time_point began, bool has_failed) noexcept {
    under_way.add(-1);
    seconds.observe(std::chrono::duration<double>(Clock::now() - began).count());
    if (has_failed) {
      failed.add();
    }
  }

  /// Asked and not answered: at work, or waiting for a connection.
  Gauge under_way;
  /// From the question to the answer, waiting for a connection included.
  Histogram seconds;
  /// Those that threw, and those that nobody waited for any more.
  Counter failed;

 private:
  std::atomic<bool> is_on_{false};
};

}  // namespace eider::db
