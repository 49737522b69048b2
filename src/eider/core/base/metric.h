// Counters, gauges and histograms: updated by all threads without locks.
// Layering: must not lock where it counts, nor let threads that count wait for one another.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace eider {

namespace detail::base {

/// The number of places of a counter. If there are more threads than places, threads share places.
inline constexpr std::size_t kCountPlaces = 8;
[[nodiscard]] inline std::size_t count_place() noexcept {
  static std::atomic<std::size_t> next{0};
  thread_local const std::size_t own = next.fetch_add(1, std::memory_order_relaxed) % kCountPlaces;
  return own;
}

/// Adds to a number that only one thread writes, so that no locked instruction is needed.
template <class T>
void add_alone(std::atomic<T>& number, T change) noexcept {
  number.store(number.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
}

/// The per-thread parts of a number.
template <class Part>
class Parts {
 public:
  void add(const Part& part) {
    const std::lock_guard lock(mutex_);
    parts_.push_back(&part);
  }
  /// keep  called under the lock, so that no reader misses the count of the removed part: it adds
  ///       that count elsewhere
  template <class Keep>
  void remove(const Part& part, Keep keep) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(parts_, &part);
    keep();
  }
  /// rest  called at the end, under the same lock: no part can be added or removed meanwhile
  template <class Read, class Rest>
  void each(Read read, Rest rest) const {
    const std::lock_guard lock(mutex_);
    for (const Part* const part : parts_) {
      read(*part);
    }
    rest();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<const Part*> parts_;
};

}  // namespace detail::base

/// A number that only grows.
class Counter {
 public:
  /// A part of the counter that only one thread adds to, in a tenth of the time. Its count remains
  /// in the counter after its end. The counter must outlive it.
  class Own {
   public:
    explicit Own(Counter& whole) : whole_(whole) { whole_.own_.add(*this); }
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    ~Own() {
      whole_.own_.remove(*this, [this] { whole_.add(value()); });
    }
    void add(std::uint64_t count = 1) noexcept { detail::base::add_alone(count_, count); }

   private:
    friend class Counter;
    [[nodiscard]] std::uint64_t value() const noexcept {
      return count_.load(std::memory_order_relaxed);
    }

    Counter& whole_;
    std::atomic<std::uint64_t> count_{0};
  };

  Counter() noexcept = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void add(std::uint64_t count = 1) noexcept {
    places_[detail::base::count_place()].count.fetch_add(count, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t value() const;

 private:
  struct alignas(64) Place {
    std::atomic<std::uint64_t> count{0};
  };
  std::array<Place, detail::base::kCountPlaces> places_;
  detail::base::Parts<Own> own_;
};

/// A number that grows and shrinks.
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

/// Counts values in buckets.
class Histogram {
 public:
  /// Upper bounds in seconds, from half a millisecond to five seconds.
  static constexpr std::array<double, 12> kSeconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                      0.05,   0.1,   0.25,   0.5,   1,    5};
  struct Read {
    std::vector<std::uint64_t> counts;  // one more than there are bounds; not cumulative
    std::uint64_t count = 0;
    double sum = 0;
  };
  /// The part of one event loop, like Counter::Own.
  class Own {
   public:
    explicit Own(Histogram& whole);
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    ~Own();
    void observe(double value) noexcept {
      detail::base::add_alone(buckets_[whole_.bucket_of(value)], std::uint64_t{1});
      detail::base::add_alone(sum_, value);
    }

   private:
    friend class Histogram;

    Histogram& whole_;
    std::vector<std::atomic<std::uint64_t>> buckets_;
    std::atomic<double> sum_{0};
  };

  /// bounds  the upper bounds of the buckets, ascending
  explicit Histogram(std::span<const double> bounds = kSeconds);
  Histogram(const Histogram&) = delete;
  Histogram& operator=(const Histogram&) = delete;

  void observe(double value) noexcept;
  [[nodiscard]] Read read() const;
  [[nodiscard]] const std::vector<double>& bounds() const noexcept { return bounds_; }

 private:
  [[nodiscard]] std::size_t buckets_per_place() const noexcept;
  /// A linear search is fast because most values are small.
  [[nodiscard]] std::size_t bucket_of(double value) const noexcept {
    std::size_t bucket = 0;
    while (bucket != bounds_.size() && bounds_[bucket] < value) {
      ++bucket;
    }
    return bucket;
  }

  std::vector<double> bounds_;
  std::array<Gauge, detail::base::kCountPlaces> sums_;
  std::vector<std::atomic<std::uint64_t>> buckets_;  // grouped by place
  detail::base::Parts<Own> own_;
};

}  // namespace eider
