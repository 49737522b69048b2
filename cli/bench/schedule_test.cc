#include "cli/bench/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

namespace eider::bench {
namespace {

using std::chrono::nanoseconds;

TEST(Schedule, IsEvenWhenUniform) {
  Schedule schedule(Arrivals::uniform, 1000, 1);
  for (int i = 1; i <= 1000; ++i) {
    EXPECT_EQ(schedule.next(), nanoseconds(1'000'000LL * i));
  }
}

TEST(Schedule, KeepsTheRateOfFractionsOverTime) {
  Schedule schedule(Arrivals::uniform, 3, 1);
  nanoseconds last{0};
  for (int i = 0; i < 3000; ++i) {
    last = schedule.next();
  }
  EXPECT_NEAR(static_cast<double>(last.count()), 1000e9, 1e3);
}

TEST(Schedule, HasTheMeanAndSpreadOfPoisson) {
  Schedule schedule(Arrivals::poisson, 1000, 1);
  constexpr int kCount = 100'000;
  double last = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto next = static_cast<double>(schedule.next().count());
    ASSERT_GE(next, last);
    squares += (next - last) * (next - last);
    last = next;
  }
  const double mean = last / kCount;
  EXPECT_NEAR(mean, 1e6, 1e4);
  // The standard deviation of an exponential distribution is its mean.
  EXPECT_NEAR(std::sqrt(squares / kCount - mean * mean), 1e6, 2e4);
}

TEST(Schedule, IsTheSameForEqualSeedsOnly) {
  Schedule first(Arrivals::poisson, 1000, 1);
  Schedule same(Arrivals::poisson, 1000, 1);
  Schedule other(Arrivals::poisson, 1000, 2);
  const auto next = first.next();
  EXPECT_EQ(next, same.next());
  EXPECT_NE(next, other.next());
}

}  // namespace
}  // namespace eider::bench
