#include "eider/protocols/http/h2/flood_guard.h"

#include <gtest/gtest.h>

namespace eider::h2 {
namespace {

std::uint32_t allowed(FloodGuard& guard, Cheap kind, std::uint64_t now_ms) {
  std::uint32_t count = 0;
  while (count < 1'000'000 && guard.allows(kind, now_ms)) {
    ++count;
  }
  return count;
}

TEST(FloodGuard, allows_a_burst_of_each_kind_and_no_more) {
  for (std::size_t kind = 0; kind < kCheapCount; ++kind) {
    FloodGuard guard;
    const auto cheap = static_cast<Cheap>(kind);
    EXPECT_EQ(allowed(guard, cheap, 5), allowance_of(cheap).burst) << kind;
    EXPECT_GT(allowance_of(cheap).burst, 0U) << kind;
    EXPECT_LE(allowance_of(cheap).burst, 1000U) << kind;
  }
}

TEST(FloodGuard, counts_each_kind_by_itself) {
  FloodGuard guard;
  (void)allowed(guard, Cheap::ping, 5);
  EXPECT_TRUE(guard.allows(Cheap::settings, 5));
}

TEST(FloodGuard, allows_a_rate_for_ever) {
  FloodGuard guard;
  const Allowance allowance = allowance_of(Cheap::ping);
  for (std::uint64_t second = 1; second < 1000; ++second) {
    for (std::uint32_t count = 0; count < allowance.per_second; ++count) {
      ASSERT_TRUE(guard.allows(Cheap::ping, second * 1000));
    }
  }
}

TEST(FloodGuard, ends_a_rate_that_is_a_little_higher) {
  FloodGuard guard;
  const Allowance allowance = allowance_of(Cheap::ping);
  std::uint64_t second = 1;
  bool is_allowed = true;
  for (; second < 1000 && is_allowed; ++second) {
    for (std::uint32_t count = 0; count <= allowance.per_second; ++count) {
      is_allowed &= guard.allows(Cheap::ping, second * 1000);
    }
  }
  EXPECT_NEAR(static_cast<double>(second), allowance.burst, 20);
}

TEST(FloodGuard, forgives_everything_in_time) {
  FloodGuard guard;
  (void)allowed(guard, Cheap::window_update, 5);
  EXPECT_EQ(allowed(guard, Cheap::window_update, 10'000'000),
            allowance_of(Cheap::window_update).burst);
}

TEST(FloodGuard, lets_what_was_earned_be_spent) {
  FloodGuard guard;
  (void)allowed(guard, Cheap::window_update, 5);
  guard.earn(Cheap::window_update, 3);
  EXPECT_EQ(allowed(guard, Cheap::window_update, 5), 2U);  // the rejected one also counted
}

TEST(FloodGuard, earns_no_more_than_the_burst) {
  FloodGuard guard;
  guard.earn(Cheap::ping, 1000);
  EXPECT_EQ(allowed(guard, Cheap::ping, 5), allowance_of(Cheap::ping).burst);
}

}  // namespace
}  // namespace eider::h2
