#include "eider/base/metric.h"

#include <algorithm>

namespace eider {

using detail::base::count_place;
using detail::base::kCountPlaces;

std::uint64_t Counter::value() const noexcept {
  std::uint64_t sum = 0;
  for (const Place& place : places_) {
    sum += place.count.load(std::memory_order_relaxed);
  }
  return sum;
}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds.begin(), bounds.end()), buckets_(kCountPlaces * buckets_per_place()) {}

// Whole lines of the cache, so that no two places share one.
std::size_t Histogram::buckets_per_place() const noexcept {
  constexpr std::size_t kLine = 64 / sizeof(std::uint64_t);
  return (bounds_.size() + 1 + kLine - 1) / kLine * kLine;
}

void Histogram::observe(double value) noexcept {
  const std::size_t place = count_place();
  const auto bucket =
      static_cast<std::size_t>(std::ranges::lower_bound(bounds_, value) - bounds_.begin());
  buckets_[(place * buckets_per_place()) + bucket].fetch_add(1, std::memory_order_relaxed);
  sums_[place].add(value);
}

Histogram::Read Histogram::read() const {
  Read read;
  read.counts.resize(bounds_.size() + 1);
  for (std::size_t place = 0; place < kCountPlaces; ++place) {
    read.sum += sums_[place].value();
    for (std::size_t bucket = 0; bucket < read.counts.size(); ++bucket) {
      const auto& counted = buckets_[(place * buckets_per_place()) + bucket];
      read.counts[bucket] += counted.load(std::memory_order_relaxed);
    }
  }
  for (const std::uint64_t count : read.counts) {
    read.count += count;
  }
  return read;
}

}  // namespace eider
