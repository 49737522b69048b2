// The schedule of the requests of an open loop.
// Layering: must not read a clock; times are relative to the start.
#pragma once

#include <cstdint>
#include <random>

#include "eider/io/runtime/time.h"

namespace eider::bench {

enum class Arrivals : std::uint8_t { uniform, poisson };

/// Uniform: one request every 1/rate. Poisson: independent of each other, with a mean distance of
/// 1/rate, like requests of many users; the same for equal seeds.
class Schedule {
 public:
  /// rate  requests per second, > 0
  Schedule(Arrivals arrivals, double rate, std::uint64_t seed)
      : arrivals_(arrivals), interval_ns_(1e9 / rate), random_(seed) {}

  /// Returns the time of the next request since the start; never less than the previous one.
  [[nodiscard]] Duration next() {
    at_ns_ += interval_ns_ * (arrivals_ == Arrivals::poisson ? exponential_(random_) : 1);
    return Duration(static_cast<std::int64_t>(at_ns_));
  }

 private:
  Arrivals arrivals_;
  double interval_ns_;
  std::mt19937_64 random_;
  std::exponential_distribution<double> exponential_{1.0};
  double at_ns_ = 0;
};

}  // namespace eider::bench
