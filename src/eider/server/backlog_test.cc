#include "eider/server/overload.h"

#include <gtest/gtest.h>

#include <chrono>

namespace eider::detail::server {
namespace {

using std::chrono::milliseconds;

Instant at(int time) {
  return Instant(milliseconds(time));
}

constexpr Duration kLongAgo = Duration::max();

TEST(Backlog, is_half_of_the_turn_before_where_that_has_read_all_there_was) {
  Backlog backlog;
  backlog.note_turn(at(0), at(10), true, kLongAgo, 10);
  EXPECT_EQ(backlog.longest(at(10)), milliseconds(10));
  EXPECT_EQ(backlog.usual(at(12), kLongAgo), milliseconds(6));  // it was sent in the meantime
  EXPECT_EQ(backlog.answered(), 10U);
  backlog.note_turn(at(12), at(14), true, kLongAgo, 2);
  EXPECT_EQ(backlog.usual(at(14), kLongAgo), milliseconds(1));
  EXPECT_EQ(backlog.answered(), 2U);
}

TEST(Backlog, goes_back_over_the_turns_that_have_read_but_some) {
  Backlog backlog;
  backlog.note_turn(at(0), at(10), true, kLongAgo, 10);
  backlog.note_turn(at(10), at(20), false, kLongAgo, 10);
  backlog.note_turn(at(20), at(21), false, kLongAgo, 0);
  EXPECT_EQ(backlog.usual(at(21), kLongAgo), milliseconds(21));
  EXPECT_EQ(backlog.answered(), 20U);
  backlog.note_turn(at(21), at(22), true, kLongAgo, 1);
  EXPECT_EQ(backlog.longest(at(22)), milliseconds(1));
}

TEST(Backlog, is_nothing_where_the_loop_was_idle) {
  Backlog backlog;
  backlog.note_turn(at(0), at(10), true, kLongAgo, 10);
  backlog.note_idle(at(15));
  EXPECT_EQ(backlog.usual(at(15), kLongAgo), milliseconds(0));
  EXPECT_EQ(backlog.answered(), 0U);
}

TEST(Backlog, begins_with_the_first_turn_that_has_read_but_some_also_where_it_is_the_very_first) {
  Backlog backlog;
  backlog.note_turn(at(5000), at(5010), false, kLongAgo, 10);
  EXPECT_EQ(backlog.longest(at(5010)), milliseconds(10));
  backlog.note_turn(at(5010), at(5011), true, kLongAgo, 1);
  backlog.note_turn(at(9000), at(9010), false, kLongAgo, 10);  // it was idle in between
  EXPECT_EQ(backlog.longest(at(9010)), milliseconds(11));
}

TEST(Backlog, goes_back_no_further_than_one_of_them_was_answered_before) {
  Backlog backlog;
  // 64 clients, each of which sends a new request after a response; 40 of them are read in one
  // turn.
  for (int turn = 0; turn < 1000; ++turn) {
    backlog.note_turn(at(turn * 4), at(turn * 4 + 4), false, milliseconds(8), 40);
    ASSERT_LE(backlog.longest(at(turn * 4 + 4)), milliseconds(12)) << turn;
    ASSERT_LE(backlog.answered(), 120U);
  }
  EXPECT_GE(backlog.longest(at(4000)), milliseconds(6));
  EXPECT_GE(backlog.answered(), 60U);
  EXPECT_EQ(backlog.usual(at(4000), milliseconds(3)), milliseconds(3));
}

}  // namespace
}  // namespace eider::detail::server
