#include "eider/server/backlog.h"

#include <gtest/gtest.h>

#include <chrono>

namespace eider::detail::server {
namespace {

using std::chrono::milliseconds;

Instant at(int time) {
  return Instant(milliseconds(time));
}

TEST(Backlog, is_half_of_the_turn_before_where_that_has_read_all_there_was) {
  Backlog backlog;
  backlog.note_turn(at(0), at(10), true, 10, 12, 100);
  EXPECT_EQ(backlog.longest(at(10)), milliseconds(10));
  EXPECT_EQ(backlog.usual(at(12)), milliseconds(6));  // what the turn wrote was sent meanwhile
  EXPECT_EQ(backlog.answered(), 10U);
  backlog.note_turn(at(12), at(14), true, 2, 2, 100);
  EXPECT_EQ(backlog.usual(at(14)), milliseconds(1));
  EXPECT_EQ(backlog.answered(), 2U);
}

TEST(Backlog, goes_back_to_the_last_turn_that_has_read_all_there_was) {
  Backlog backlog;
  backlog.note_turn(at(0), at(10), true, 10, 10, 100);
  backlog.note_turn(at(10), at(20), false, 10, 40, 100);
  backlog.note_turn(at(20), at(21), false, 0, 40, 100);
  EXPECT_EQ(backlog.usual(at(21)), milliseconds(21));
  EXPECT_EQ(backlog.answered(), 20U);
  backlog.note_turn(at(21), at(22), true, 1, 1, 100);
  EXPECT_EQ(backlog.longest(at(22)), milliseconds(1));
}

TEST(Backlog, is_nothing_where_the_loop_was_idle) {
  Backlog backlog;
  backlog.note_turn(at(0), at(10), true, 10, 10, 100);
  backlog.note_idle(at(15));
  EXPECT_EQ(backlog.usual(at(15)), milliseconds(0));
  EXPECT_EQ(backlog.answered(), 0U);
}

TEST(Backlog, is_one_request_of_each_connection_at_most) {
  Backlog backlog;
  // 64 clients that ask again as soon as they are answered, of whom 40 are read in a turn.
  for (int turn = 0; turn < 1000; ++turn) {
    backlog.note_turn(at(turn * 4), at(turn * 4 + 4), false, 40, 40, 64);
    ASSERT_LE(backlog.longest(at(turn * 4 + 4)), milliseconds(7)) << turn;
    ASSERT_LE(backlog.answered(), 64U);
  }
  EXPECT_GE(backlog.longest(at(4000)), milliseconds(6));
  EXPECT_GE(backlog.answered(), 60U);
}

TEST(Backlog, is_as_long_as_the_turn_where_a_connection_asks_much_at_once) {
  Backlog backlog;
  for (int turn = 0; turn < 10; ++turn) {
    backlog.note_turn(at(turn * 4), at(turn * 4 + 4), false, 400, 400, 1);
    EXPECT_EQ(backlog.longest(at(turn * 4 + 4)), milliseconds(4));
  }
  backlog.note_turn(at(40), at(44), false, 400, 400, 0);
  EXPECT_EQ(backlog.longest(at(44)), milliseconds(4));
}

}  // namespace
}  // namespace eider::detail::server
