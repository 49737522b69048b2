// A histogram of latencies with 3 significant digits, in constant memory.
// Layering: must not know the unit of the values; here they are nanoseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eider::bench {

/// Buckets as in an HDR histogram: each value below 2048 has its own; above, each doubling of the
/// value is divided into 1024 equal steps, so that no value is off by more than 1 in 1024.
/// Implemented here because no package of Debian 12 contains HdrHistogram_c.
class LatencyHistogram {
 public:
  /// About 73 minutes in nanoseconds; larger values count as this one.
  static constexpr std::uint64_t kValueMax = (std::uint64_t{1} << 42) - 1;

  /// Counts one value.
  void add(std::uint64_t value) noexcept;
  /// Adds the counts of another histogram.
  void add(const LatencyHistogram& other) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Exact extremes and mean; 0 if nothing was counted.
  [[nodiscard]] std::uint64_t min() const noexcept { return count_ == 0 ? 0 : min_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  [[nodiscard]] double mean() const noexcept;

  /// Returns the smallest value that at least `percent` of the counted values do not exceed: never
  /// too small, at most 1 in 1024 too large, and at most max(). 0 if nothing was counted.
  ///
  /// percent  0 <= percent <= 100
  [[nodiscard]] std::uint64_t percentile(double percent) const noexcept;

  /// Calls `see(last, count)` for every bucket that is not empty, in ascending order; `last` is the
  /// largest value of the bucket.
  template <class See>
  void for_each(See see) const {
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      if (counts_[bucket] != 0) {
        see(last_value_of(bucket), counts_[bucket]);
      }
    }
  }

 private:
  static constexpr unsigned kStepBits = 10;
  static constexpr std::size_t kSteps = std::size_t{1} << kStepBits;
  static constexpr unsigned kDoublings = 42 - kStepBits - 1;
  static constexpr std::size_t kBuckets = 2 * kSteps + kDoublings * kSteps;

  static std::size_t bucket_of(std::uint64_t value) noexcept;
  static std::uint64_t last_value_of(std::size_t bucket) noexcept;

  std::vector<std::uint64_t> counts_ = std::vector<std::uint64_t>(kBuckets);
  std::uint64_t count_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  double sum_ = 0;
};

}  // namespace eider::bench
