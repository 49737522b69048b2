#include "delay_line.h"

#include <gtest/gtest.h>

namespace network {
namespace {

using std::chrono::milliseconds;

constexpr Instant kStart{std::chrono::seconds(100)};

TEST(DelayLine, GivesPacketsInOrderEachAfterTheDelay) {
  DelayLine line(milliseconds(26), 10);
  line.add("first", kStart);
  line.add("second", kStart + milliseconds(1));
  EXPECT_EQ(line.next_due(), kStart + milliseconds(26));
  EXPECT_EQ(line.front(), "first");
  line.pop_sent();
  EXPECT_EQ(line.next_due(), kStart + milliseconds(27));
  EXPECT_EQ(line.front(), "second");
}

TEST(DelayLine, HasNothingDueWhenEmpty) {
  const DelayLine line(milliseconds(26), 10);
  EXPECT_EQ(line.next_due(), Instant::max());
}

TEST(DelayLine, DropsAndCountsWhatComesWhenFull) {
  DelayLine line(milliseconds(1), 2);
  for (const char* packet : {"a", "b", "c"}) {
    line.add(packet, kStart);
  }
  EXPECT_EQ(line.dropped(), 1U);
  line.pop_sent();
  line.add("d", kStart);
  EXPECT_EQ(line.dropped(), 1U);
  EXPECT_EQ(line.sent(), 1U);
  EXPECT_EQ(line.front(), "b");
}

TEST(DelayLine, CountsWhatIsLostAsDropped) {
  DelayLine line(milliseconds(1), 2);
  line.add("a", kStart);
  line.pop_lost();
  EXPECT_EQ(line.dropped(), 1U);
  EXPECT_EQ(line.sent(), 0U);
  EXPECT_EQ(line.next_due(), Instant::max());
}

}  // namespace
}  // namespace network
