#include "cli/bench/latency_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace eider::bench {

// A value of b bits, b > kStepBits + 1, keeps its first kStepBits + 1 bits. The leading bit is
// implied by the power of two:  value >> shift  is in [kSteps, 2 * kSteps).
std::size_t LatencyHistogram::bucket_of(std::uint64_t value) noexcept {
  if (value < 2 * kSteps) {
    return static_cast<std::size_t>(value);
  }
  const auto shift = static_cast<unsigned>(std::bit_width(value)) - kStepBits - 1;
  return shift * kSteps + static_cast<std::size_t>(value >> shift);
}

std::uint64_t LatencyHistogram::last_value_of(std::size_t bucket) noexcept {
  if (bucket < 2 * kSteps) {
    return bucket;
  }
  const std::size_t shift = bucket / kSteps - 1;
  const std::uint64_t first = (bucket % kSteps + kSteps) << shift;
  return first + (std::uint64_t{1} << shift) - 1;
}

void LatencyHistogram::add(std::uint64_t value) noexcept {
  value = std::min(value, kValueMax);
  ++counts_[bucket_of(value)];
  ++count_;
  sum_ += static_cast<double>(value);
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

void LatencyHistogram::add(const LatencyHistogram& other) noexcept {
  for (std::size_t i = 0; i < kBuckets; ++i) {
    counts_[i] += other.counts_[i];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

double LatencyHistogram::mean() const noexcept {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t LatencyHistogram::percentile(double percent) const noexcept {
  const double wanted = std::ceil(static_cast<double>(count_) * percent / 100);
  const auto rank = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) {
      return std::min(last_value_of(bucket), max_);
    }
  }
  return max_;
}

}  // namespace eider::bench
