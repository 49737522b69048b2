#include "eider/io/runtime/backoff.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace eider::detail::runtime {
namespace {

using std::chrono::seconds;

TEST(Backoff, doubles_behind_each_try_up_to_its_bound) {
  EXPECT_EQ(pause_behind(1, seconds(10), seconds(60)), seconds(10));
  EXPECT_EQ(pause_behind(2, seconds(10), seconds(60)), seconds(20));
  EXPECT_EQ(pause_behind(4, seconds(10), seconds(60)), seconds(60));
  EXPECT_EQ(pause_behind(1'000'000, seconds(10), seconds(60)), seconds(60));
}

TEST(Backoff, is_a_quarter_more_or_less_and_not_the_same_for_all) {
  std::set<Duration> pauses;
  for (int turn = 0; turn < 100; ++turn) {
    const Duration pause = with_jitter(seconds(40));
    EXPECT_GE(pause, seconds(30));
    EXPECT_LE(pause, seconds(50));
    pauses.insert(pause);
  }
  EXPECT_GT(pauses.size(), 90U);
  EXPECT_EQ(with_jitter(Duration::zero()), Duration::zero());
}

TEST(Backoff, ends_for_a_pause_of_zero) {
  EXPECT_EQ(pause_behind(std::numeric_limits<std::int64_t>::max(), seconds(0), seconds(1)),
            seconds(0));
}

}  // namespace
}  // namespace eider::detail::runtime
