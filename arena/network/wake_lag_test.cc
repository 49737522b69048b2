#include "wake_lag.h"

#include <gtest/gtest.h>

namespace network {
namespace {

using std::chrono::microseconds;

TEST(WakeLag, SettlesAtTheMedianWhateverTheOutliers) {
  WakeLag lag;
  for (int i = 0; i < 1000; ++i) {
    lag.note(i % 5 == 0 ? microseconds(7000) : microseconds(80 + i % 3));
  }
  EXPECT_GE(lag.typical(), microseconds(78));
  EXPECT_LE(lag.typical(), microseconds(84));
}

TEST(WakeLag, StaysWithinItsBounds) {
  WakeLag lag;
  for (int i = 0; i < 1000; ++i) {
    lag.note(microseconds(7000));
  }
  EXPECT_EQ(lag.typical(), WakeLag::kMax);
  for (int i = 0; i < 1000; ++i) {
    lag.note(microseconds(-10));
  }
  EXPECT_EQ(lag.typical(), microseconds(0));
}

}  // namespace
}  // namespace network
