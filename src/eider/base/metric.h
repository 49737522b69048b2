// Numbers that a program counts for whoever watches it: written by every thread, read seldom.
// Must not lock, nor let threads that count wait for one another.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace eider {

namespace detail::base {

/// Threads that count at once share a place where there are more of them.
inline constexpr std::size_t kCountPlaces = 8;
[[nodiscard]] inline std::size_t count_place() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t own = next.fetch_add(1, std::memory_order_relaxed) % kCountPlaces;
  return own;
}

}  // namespace detail::base

/// What only grows.
class Counter {
 public:
  Counter() noexcept = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void add(std::uint64_t count = 1) noexcept {
    places_[detail::base::count_place()].count.fetch_add(count, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const noexcept;

 private:
  struct alignas(64) Place {
    std::atomic<std::uint64_t> count{0};
  };
  std::array<Place, detail::base::kCountPlaces> places_;
};

/// What grows and shrinks.
class Gauge {
 public:
  Gauge() noexcept = default;
  Gauge(const Gauge&) = delete;
  Gauge& operator=(const Gauge&) = delete;

  void set(double value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(double change) noexcept { value_.fetch_add(change, std::memory_order_relaxed); }
  [[nodiscard]] double value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

/// How many values lay within each of some bounds.
class Histogram {
 public:
  /// Seconds, from half a millisecond to ten seconds.
  static constexpr std::array<double, 12> kSeconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                      0.05,   0.1,   0.25,   0.5,   1,    5};
  struct Read {
    std::vector<std::uint64_t> counts;  // one more than there are bounds, each for itself
    std::uint64_t count = 0;
    double sum = 0;
  };

  /// bounds  rising
  explicit Histogram(std::span<const double> bounds = kSeconds);
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  void observe(double value) noexcept;
  [[nodiscard]] Read read() const;
  [[nodiscard]] const std::vector<double>& bounds() const noexcept { return bounds_; }

 private:
  [[nodiscard]] std::size_t buckets_per_place() const noexcept;

  std::vector<double> bounds_;
  std::array<Gauge, detail::base::kCountPlaces> sums_;
  std::vector<std::atomic<std::uint64_t>> buckets_;  // those of a place together
};

}  // namespace eider
