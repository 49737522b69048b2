#include "eider/io/runtime/standing_queue.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kTarget = milliseconds(5);
constexpr std::size_t kMany = 20;

/// Checks the queue every 10 ms for the duration `during`.
Instant look(StandingQueue& queue, Instant from, Duration during, Duration waited,
             std::size_t others = kMany) {
  const Instant until = from + during;
  for (; from < until; from += milliseconds(10)) {
    queue.note(waited, others, from);
  }
  return until;
}

TEST(StandingQueue, is_one_that_is_long_for_a_while) {
  StandingQueue queue(kTarget);
  const Instant now = look(queue, Instant(), milliseconds(100), milliseconds(6));
  EXPECT_FALSE(queue.is_standing());
  queue.note(milliseconds(6), kMany, now);
  EXPECT_TRUE(queue.is_standing());
}

TEST(StandingQueue, is_none_that_has_been_short_in_between) {
  StandingQueue queue(kTarget);
  Instant now = look(queue, Instant(), milliseconds(90), milliseconds(6));
  queue.note(milliseconds(5), kMany, now);
  now = look(queue, now, milliseconds(90), milliseconds(6));
  queue.note_short();
  look(queue, now, milliseconds(90), milliseconds(6));
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, is_none_of_a_few_slow_ones) {
  StandingQueue queue(kTarget);
  look(queue, Instant(), seconds(10), milliseconds(300), StandingQueue::kOthersMin - 1);
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, is_none_of_many_that_cost_as_little_as_their_refusal) {
  StandingQueue queue(kTarget);
  look(queue, Instant(), seconds(10), milliseconds(6), 500);
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, is_none_that_was_long_when_it_was_looked_at_twice) {
  StandingQueue queue(kTarget);
  queue.note(seconds(1), kMany, Instant() + seconds(1));
  queue.note(seconds(1), kMany, Instant() + seconds(2));
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, is_none_where_everybody_may_wait) {
  StandingQueue queue(Duration::zero());
  look(queue, Instant(), seconds(10), milliseconds(300));
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, refuses_those_who_have_waited_too_long_and_no_others) {
  StandingQueue queue(kTarget);
  const Instant now = look(queue, Instant(), milliseconds(200), milliseconds(6));
  ASSERT_TRUE(queue.is_standing());
  EXPECT_TRUE(queue.refuses(kTarget + microseconds(1), kMany, now));
  EXPECT_FALSE(queue.refuses(kTarget, kMany, now));
  EXPECT_FALSE(queue.refuses(seconds(1), StandingQueue::kOthersMin - 1, now));
  EXPECT_FALSE(queue.refuses(milliseconds(6), 500, now));
  EXPECT_TRUE(queue.is_standing());
}

TEST(StandingQueue, lets_nobody_wait_for_long_while_it_stands) {
  StandingQueue queue(milliseconds(100));
  const Instant now = look(queue, Instant(), milliseconds(200), milliseconds(101));
  ASSERT_TRUE(queue.is_standing());
  EXPECT_FALSE(queue.refuses(StandingQueue::kStandingTarget, kMany, now));
  EXPECT_TRUE(queue.refuses(StandingQueue::kStandingTarget + microseconds(1), kMany, now));
}

TEST(StandingQueue, stands_until_nobody_was_refused_for_a_while) {
  StandingQueue queue(kTarget);
  Instant now = look(queue, Instant(), milliseconds(200), milliseconds(6));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(queue.refuses(milliseconds(6), kMany, now));
    now += StandingQueue::kOverAfter - microseconds(1);
    EXPECT_FALSE(queue.refuses(milliseconds(1), kMany, now));
    ASSERT_TRUE(queue.is_standing());
  }
  EXPECT_TRUE(queue.refuses(milliseconds(6), kMany, now));
  EXPECT_FALSE(queue.refuses(milliseconds(1), kMany, now + StandingQueue::kOverAfter));
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, is_found_anew_in_time_however_many_are_refused) {
  StandingQueue queue(milliseconds(100));
  Instant now = look(queue, Instant(), milliseconds(200), milliseconds(101));
  const Instant last = now + StandingQueue::kStandsMax;
  for (; queue.is_standing() && now < last; now += milliseconds(100)) {
    (void)queue.refuses(milliseconds(6), kMany, now);
  }
  EXPECT_FALSE(queue.refuses(milliseconds(6), kMany, now));
  now = look(queue, now, milliseconds(200), milliseconds(6));
  EXPECT_FALSE(queue.is_standing());
}

TEST(StandingQueue, that_is_over_begins_anew) {
  StandingQueue queue(kTarget);
  Instant now = look(queue, Instant(), milliseconds(200), milliseconds(6));
  now += seconds(5);
  EXPECT_FALSE(queue.refuses(milliseconds(1), kMany, now));
  look(queue, now, milliseconds(100), milliseconds(6));
  EXPECT_FALSE(queue.is_standing());
}

}  // namespace
}  // namespace eider
