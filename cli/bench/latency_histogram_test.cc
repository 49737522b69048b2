#include "cli/bench/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace eider::bench {
namespace {

/// Computes the exact result of percentile() from all values.
std::uint64_t exact_percentile(std::vector<std::uint64_t> values, double percent) {
  std::sort(values.begin(), values.end());
  const double wanted = std::ceil(static_cast<double>(values.size()) * percent / 100);
  return values[std::max<std::size_t>(1, static_cast<std::size_t>(wanted)) - 1];
}

TEST(LatencyHistogram, IsZeroWhenNothingWasCounted) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.min(), 0U);
  EXPECT_EQ(histogram.max(), 0U);
  EXPECT_EQ(histogram.percentile(99), 0U);
  EXPECT_EQ(histogram.mean(), 0);
}

TEST(LatencyHistogram, IsExactForSmallValues) {
  LatencyHistogram histogram;
  for (std::uint64_t value = 1; value <= 1000; ++value) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.percentile(0), 1U);
  EXPECT_EQ(histogram.percentile(50), 500U);
  EXPECT_EQ(histogram.percentile(99), 990U);
  EXPECT_EQ(histogram.percentile(99.9), 999U);
  EXPECT_EQ(histogram.percentile(100), 1000U);
  EXPECT_DOUBLE_EQ(histogram.mean(), 500.5);
}

TEST(LatencyHistogram, IsOffByAtMostOneInAThousandAtEveryMagnitude) {
  for (std::uint64_t value = 1; value < LatencyHistogram::kValueMax / 3; value = value * 3 + 1) {
    LatencyHistogram histogram;
    histogram.add(value);
    histogram.add(LatencyHistogram::kValueMax);
    const std::uint64_t told = histogram.percentile(50);
    EXPECT_GE(told, value);
    EXPECT_LE(told - value, value / 1024) << value;
  }
}

TEST(LatencyHistogram, KeepsTheBordersOfItsBucketsApart) {
  for (const std::uint64_t border : {2047U, 2048U, 4095U, 4096U, 1U << 20U}) {
    LatencyHistogram histogram;
    histogram.add(border - 1);
    histogram.add(border);
    histogram.add(border * 2);
    EXPECT_LE(histogram.percentile(33), histogram.percentile(66));
    EXPECT_GE(histogram.percentile(66), border);
    EXPECT_EQ(histogram.percentile(100), border * 2);
  }
}

TEST(LatencyHistogram, AgreesWithSortingOnRandomValues) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latencies(13, 2);
  LatencyHistogram histogram;
  std::vector<std::uint64_t> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(static_cast<std::uint64_t>(latencies(random)));
    histogram.add(values.back());
  }
  for (const double percent : {0.1, 10.0, 50.0, 90.0, 99.0, 99.9, 100.0}) {
    const std::uint64_t exact = exact_percentile(values, percent);
    EXPECT_GE(histogram.percentile(percent), exact);
    EXPECT_LE(histogram.percentile(percent) - exact, exact / 1024) << percent;
  }
}

TEST(LatencyHistogram, CountsValuesBeyondItsRangeAsItsLargest) {
  LatencyHistogram histogram;
  histogram.add(~std::uint64_t{0});
  EXPECT_EQ(histogram.max(), LatencyHistogram::kValueMax);
  EXPECT_EQ(histogram.percentile(50), LatencyHistogram::kValueMax);
}

TEST(LatencyHistogram, AddsAnotherAsIfItsValuesHadBeenCountedHere) {
  LatencyHistogram first;
  LatencyHistogram second;
  LatencyHistogram both;
  for (std::uint64_t value = 1; value < 100000; value += 7) {
    (value % 2 == 0 ? first : second).add(value);
    both.add(value);
  }
  first.add(second);
  EXPECT_EQ(first.count(), both.count());
  EXPECT_EQ(first.min(), both.min());
  EXPECT_EQ(first.max(), both.max());
  EXPECT_EQ(first.percentile(90), both.percentile(90));
  EXPECT_DOUBLE_EQ(first.mean(), both.mean());
}

}  // namespace
}  // namespace eider::bench
