#include "eider/server/balance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <thread>

namespace eider::detail::server {
namespace {

std::size_t spread(const Balance& balance, std::size_t loops) {
  std::size_t least = balance.count(0);
  std::size_t most = least;
  for (std::size_t loop = 1; loop < loops; ++loop) {
    least = std::min(least, balance.count(loop));
    most = std::max(most, balance.count(loop));
  }
  return most - least;
}

TEST(Balance, keeps_a_connection_where_it_was_accepted_while_loops_are_even) {
  Balance balance(4, 100);
  EXPECT_EQ(balance.place(2), 2U);
  EXPECT_EQ(balance.place(3), 3U);
  EXPECT_EQ(balance.place(0), 0U);
  EXPECT_EQ(balance.place(1), 1U);
  EXPECT_EQ(balance.place(1), 1U);
}

TEST(Balance, gives_away_what_a_busier_loop_accepts) {
  Balance balance(2, 100);
  EXPECT_EQ(balance.place(0), 0U);
  EXPECT_EQ(balance.place(0), 1U);
}

TEST(Balance, leaves_no_loop_more_than_one_above_the_least_with_few_connections) {
  for (std::size_t loops = 1; loops <= 8; ++loops) {
    Balance balance(loops, 1000);
    for (std::size_t connection = 0; connection < loops * 8; ++connection) {
      ASSERT_TRUE(balance.place(connection * connection % loops));
      ASSERT_LE(spread(balance, loops), 1U) << loops << " loops, connection " << connection;
    }
  }
}

TEST(Balance, lets_an_eighth_more_pass_with_many_connections) {
  Balance balance(2, 1000);
  for (int connection = 0; connection < 160; ++connection) {
    ASSERT_TRUE(balance.place(0));
  }
  EXPECT_GT(spread(balance, 2), 1U);
  EXPECT_LE(spread(balance, 2), balance.count(1) / 8 + 1);
}

TEST(Balance, places_nothing_beyond_the_maximum_until_one_ends) {
  Balance balance(2, 3);
  EXPECT_TRUE(balance.place(0));
  EXPECT_TRUE(balance.place(0));
  EXPECT_TRUE(balance.place(0));
  EXPECT_FALSE(balance.place(0));
  EXPECT_FALSE(balance.place(1));
  balance.release(1);
  EXPECT_EQ(balance.place(0), 1U);
}

TEST(Balance, gives_a_retired_loop_nothing) {
  Balance balance(2, 100);
  EXPECT_EQ(balance.place(0), 0U);
  EXPECT_TRUE(balance.try_retire(1));
  EXPECT_EQ(balance.place(0), 0U);
  EXPECT_EQ(balance.place(0), 0U);
  EXPECT_EQ(balance.count(1), 0U);
}

TEST(Balance, retires_no_loop_that_a_connection_is_on_its_way_to) {
  Balance balance(2, 100);
  EXPECT_EQ(balance.place(0), 0U);
  EXPECT_EQ(balance.place(0), 1U);
  EXPECT_FALSE(balance.try_retire(1));
  balance.release(1);
  EXPECT_TRUE(balance.try_retire(1));
}

TEST(Balance, stays_exact_when_loops_accept_at_the_same_time) {
  constexpr std::size_t kLoops = 4;
  Balance balance(kLoops, 1000);
  std::vector<std::thread> threads;
  for (std::size_t loop = 0; loop < kLoops; ++loop) {
    threads.emplace_back([&balance] {
      for (int connection = 0; connection < 8; ++connection) {
        EXPECT_TRUE(balance.place(0));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(balance.count(0) + balance.count(1) + balance.count(2) + balance.count(3), 32U);
  EXPECT_LE(spread(balance, kLoops), 1U);
}

}  // namespace
}  // namespace eider::detail::server
