#include "eider/io/runtime/pace.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kPaceSpan = seconds(30);
constexpr Instant kPaceBegin{seconds(1000)};

static_assert(least_bytes(seconds(30), 512) == 15'360);
static_assert(least_bytes(milliseconds(500), 512) == 256);

TEST(Pace, is_due_only_while_something_waits) {
  Pace pace;
  EXPECT_EQ(pace.due(kPaceSpan), Instant::max());
  pace.begin(100, kPaceBegin);
  EXPECT_EQ(pace.due(kPaceSpan), kPaceBegin + kPaceSpan);
  pace.note_drained(0, kPaceBegin + seconds(1));
  EXPECT_EQ(pace.due(kPaceSpan), Instant::max());
}

TEST(Pace, counts_what_was_taken_in_the_span) {
  Pace pace;
  pace.begin(1000, kPaceBegin);
  EXPECT_TRUE(pace.keeps_up(900, kPaceBegin + kPaceSpan, 100));
  EXPECT_EQ(pace.due(kPaceSpan), kPaceBegin + 2 * kPaceSpan);
  EXPECT_FALSE(pace.keeps_up(801, kPaceBegin + 2 * kPaceSpan, 100));
}

TEST(Pace, adds_up_the_time_in_which_something_waits) {
  Pace pace;
  Instant now = kPaceBegin;
  for (int piece = 0; piece < 3; ++piece) {
    pace.begin(10, now);
    EXPECT_EQ(pace.due(kPaceSpan), now + kPaceSpan - piece * seconds(9));
    now += seconds(9);
    pace.note_drained(0, now);
    now += seconds(500);  // during which nothing waits
  }
  pace.begin(10, now);
  EXPECT_EQ(pace.due(kPaceSpan), now + seconds(3));
  EXPECT_FALSE(pace.keeps_up(10, now + seconds(3), 31)) << "three pieces of ten were taken";
}

TEST(Pace, adds_up_what_was_taken_piece_by_piece) {
  Pace pace;
  pace.begin(10, kPaceBegin);
  pace.note_drained(0, kPaceBegin + seconds(29));
  pace.begin(10, kPaceBegin + seconds(29));
  EXPECT_TRUE(pace.keeps_up(5, kPaceBegin + seconds(30), 15));
}

TEST(Pace, counts_what_waits_in_the_kernel_as_not_taken) {
  Pace pace;
  pace.begin(1000, kPaceBegin);
  pace.note_drained(990, kPaceBegin + seconds(10));
  pace.begin(2990, kPaceBegin + seconds(10));
  EXPECT_FALSE(pace.keeps_up(2900, kPaceBegin + seconds(30), 101)) << "ten and ninety";
  pace.note_drained(2500, kPaceBegin + seconds(40));
  pace.begin(2500, kPaceBegin + seconds(40));
  EXPECT_TRUE(pace.keeps_up(2400, kPaceBegin + seconds(60), 500)) << "400 and 100";
}

TEST(Pace, begins_a_span_when_more_waits_than_before) {
  Pace pace;
  pace.begin(10, kPaceBegin);
  pace.begin(10, kPaceBegin + seconds(20));
  EXPECT_EQ(pace.due(kPaceSpan), kPaceBegin + kPaceSpan);
  pace.begin(1000, kPaceBegin + seconds(20));
  EXPECT_EQ(pace.due(kPaceSpan), kPaceBegin + seconds(50));
}

}  // namespace
}  // namespace eider
