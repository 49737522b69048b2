#include "eider/core/base/metric.h"

namespace eider {

using detail::base::count_place;
using detail::base::kCountPlaces;

// The places are read under the same lock as the parts. Otherwise the count of a part that ends
// meanwhile would be missed or counted twice.
std::uint64_t Counter::value() const {
  std::uint64_t sum = 0;
  own_.each([&](const Own& part) { sum += part.value(); },
            [&] {
              for (const Place& place : places_) {
                sum += place.count.load(std::memory_order_relaxed);
              }
            });
  return sum;
}

Histogram::Histogram(std::span<const double> bounds)
    : bounds_(bounds.begin(), bounds.end()), buckets_(kCountPlaces * buckets_per_place()) {}

// Whole cache lines, so that no two places share one.
std::size_t Histogram::buckets_per_place() const noexcept {
  constexpr std::size_t kLine = 64 / sizeof(std::uint64_t);
  return (bounds_.size() + 1 + kLine - 1) / kLine * kLine;
}

void Histogram::observe(double value) noexcept {
  const std::size_t place = count_place();
  const std::size_t bucket = bucket_of(value);
  buckets_[(place * buckets_per_place()) + bucket].fetch_add(1, std::memory_order_relaxed);
  sums_[place].add(value);
}

Histogram::Read Histogram::read() const {
  Read read;
  read.counts.resize(bounds_.size() + 1);
  const auto add = [&](const std::atomic<std::uint64_t>* buckets, double sum) {
    read.sum += sum;
    for (std::size_t bucket = 0; bucket < read.counts.size(); ++bucket) {
      read.counts[bucket] += buckets[bucket].load(std::memory_order_relaxed);
    }
  };
  own_.each(
      [&](const Own& part) {
        add(part.buckets_.data(), part.sum_.load(std::memory_order_relaxed));
      },
      [&] {
        for (std::size_t place = 0; place < kCountPlaces; ++place) {
          add(&buckets_[place * buckets_per_place()], sums_[place].value());
        }
      });
  for (const std::uint64_t count : read.counts) {
    read.count += count;
  }
  return read;
}

Histogram::Own::Own(Histogram& whole) : whole_(whole), buckets_(whole.bounds_.size() + 1) {
  whole_.own_.add(*this);
}

Histogram::Own::~Own() {
  whole_.own_.remove(*this, [this] {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      whole_.buckets_[bucket].fetch_add(buckets_[bucket].load(std::memory_order_relaxed),
                                        std::memory_order_relaxed);
    }
    whole_.sums_[0].add(sum_.load(std::memory_order_relaxed));
  });
}

}  // namespace eider
