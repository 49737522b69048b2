#include "eider/io/runtime/timer_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

namespace eider {
namespace {

struct CountedTimer final : Timer {
  void expire() override { ++expirations; }
  int expirations = 0;
};

/// Advances the wheel to `now` and expires the timers that are due.
int advance(TimerWheel& wheel, std::uint64_t now) {
  IntrusiveList<Timer> due;
  wheel.advance(now, due);
  int count = 0;
  while (Timer* timer = due.pop_front()) {
    timer->expire();
    ++count;
  }
  return count;
}

TEST(TimerWheel, has_nothing_to_do_when_empty) {
  TimerWheel wheel;
  EXPECT_EQ(wheel.next_tick(), TimerWheel::kNever);
  EXPECT_EQ(advance(wheel, 1000000), 0);
}

TEST(TimerWheel, expires_at_its_tick_and_not_one_before) {
  for (const std::uint64_t start : {0ULL, 63ULL, 64ULL, 4095ULL, 1234567ULL}) {
    for (const std::uint64_t delay : {1ULL, 2ULL, 63ULL, 64ULL, 65ULL, 4095ULL, 4096ULL, 4097ULL,
                                      262144ULL, 16777217ULL, 1ULL << 33}) {
      TimerWheel wheel;
      advance(wheel, start);
      CountedTimer timer;
      wheel.arm(timer, start + delay);
      EXPECT_LE(wheel.next_tick(), start + delay);
      EXPECT_EQ(advance(wheel, start + delay - 1), 0) << start << " + " << delay;
      EXPECT_EQ(advance(wheel, start + delay), 1) << start << " + " << delay;
      EXPECT_EQ(wheel.next_tick(), TimerWheel::kNever);
    }
  }
}

TEST(TimerWheel, expires_at_the_next_advance_what_is_due_already) {
  TimerWheel wheel;
  advance(wheel, 100);
  CountedTimer timer;
  wheel.arm(timer, 100);
  EXPECT_EQ(wheel.next_tick(), 100U);
  EXPECT_EQ(advance(wheel, 100), 1);
  wheel.arm(timer, 0);
  EXPECT_EQ(advance(wheel, 101), 1);
}

TEST(TimerWheel, never_expires_what_lies_beyond_all_time) {
  TimerWheel wheel;
  CountedTimer timer;
  wheel.arm(timer, TimerWheel::kNever);
  EXPECT_EQ(advance(wheel, std::uint64_t{1} << 41), 0);
  EXPECT_TRUE(timer.is_armed());
}

TEST(TimerWheel, forgets_a_timer_that_is_disarmed_or_destroyed) {
  TimerWheel wheel;
  CountedTimer disarmed;
  {
    CountedTimer destroyed;
    wheel.arm(destroyed, 10);
    wheel.arm(disarmed, 5000);
  }
  disarmed.disarm();
  EXPECT_EQ(wheel.next_tick(), TimerWheel::kNever);
  EXPECT_EQ(advance(wheel, 10000), 0);
}

TEST(TimerWheel, a_timer_outlives_the_wheel) {
  CountedTimer timer;
  {
    TimerWheel wheel;
    wheel.arm(timer, 10);
  }
  EXPECT_FALSE(timer.is_armed());
}

TEST(TimerWheel, behaves_like_a_sorted_map_under_random_use) {
  std::mt19937_64 random(20260101);
  TimerWheel wheel;
  std::vector<std::unique_ptr<CountedTimer>> timers(300);
  std::vector<std::uint64_t> due(timers.size(), 0);  // 0: disarmed
  for (auto& timer : timers) {
    timer = std::make_unique<CountedTimer>();
  }
  std::uint64_t now = 1;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t index = random() % timers.size();
    const unsigned spread = static_cast<unsigned>(random() % 30);
    if (random() % 4 != 0) {
      due[index] = now + 1 + random() % (std::uint64_t{1} << spread);
      wheel.arm(*timers[index], due[index]);
    } else {
      due[index] = 0;
      timers[index]->disarm();
    }
    std::uint64_t first = TimerWheel::kNever;
    for (const std::uint64_t each : due) {
      first = each != 0 && each < first ? each : first;
    }
    ASSERT_LE(wheel.next_tick(), first);
    now = random() % 3 == 0 ? now + random() % 5000 : std::min(first, now + (1U << 20));
    int expected = 0;
    for (std::uint64_t& each : due) {
      if (each != 0 && each <= now) {
        each = 0;
        ++expected;
      }
    }
    ASSERT_EQ(advance(wheel, now), expected) << "at step " << step;
  }
}

}  // namespace
}  // namespace eider
