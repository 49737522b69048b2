#include "eider/web/middleware/redis/redis_rates.h"

#include <chrono>
#include <optional>
#include <string>

#include "eider/io/runtime/scope.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

class RedisRatesTest : public RedisTest {
 protected:
  std::optional<RateDecision> take(RateStore& store, const std::string& key, RateTerms terms) {
    return on_loop_.run(store.take(key, terms));
  }
  int admitted(RateStore& store, const std::string& key, RateTerms terms, int asked) {
    int count = 0;
    for (int i = 0; i < asked; ++i) {
      count += take(store, key, terms).value().is_admitted ? 1 : 0;
    }
    return count;
  }
};

constexpr RateAlgorithm kBoth[] = {RateAlgorithm::token_bucket, RateAlgorithm::sliding_window};

TEST_F(RedisRatesTest, two_processes_count_together) {
  const auto one = redis_rates(redis_);
  const auto other = redis_rates(open());
  for (const RateAlgorithm algorithm : kBoth) {
    const RateTerms terms{algorithm, 10, 1h};
    const std::string key = std::to_string(static_cast<int>(algorithm));
    EXPECT_EQ(admitted(*one, key, terms, 6), 6);
    EXPECT_EQ(take(*other, key, terms)->remaining, 3U);
    EXPECT_EQ(admitted(*other, key, terms, 9), 3);
    const auto refused = take(*one, key, terms);
    EXPECT_FALSE(refused->is_admitted);
    EXPECT_GT(refused->wait, 5min);
    EXPECT_LE(refused->wait, 1h + 6min);
    EXPECT_EQ(admitted(*one, key + "else", terms, 1), 1);
  }
}

TEST_F(RedisRatesTest, side_by_side_none_is_counted_twice_or_not_at_all) {
  const auto store = redis_rates(redis_);
  on_loop_.run([](RateStore* of) -> Task<> {
    for (const RateAlgorithm algorithm : kBoth) {
      Scope scope;
      int admitted = 0;
      for (int i = 0; i < 100; ++i) {
        scope.start([](RateStore* its, RateAlgorithm by, int* count) -> Task<> {
          const auto response =
              co_await its->take("a" + std::to_string(static_cast<int>(by)), {by, 40, 1h});
          *count += response.value().is_admitted ? 1 : 0;
        }(of, algorithm, &admitted));
      }
      co_await scope.join();
      EXPECT_EQ(admitted, 40);
    }
  }(store.get()));
}

TEST_F(RedisRatesTest, a_bucket_and_a_window_let_further_ones_in_with_time) {
  const auto store = redis_rates(redis_);
  for (const RateAlgorithm algorithm : kBoth) {
    const RateTerms terms{algorithm, 3, 60ms};
    const std::string key = std::to_string(static_cast<int>(algorithm));
    std::optional<RateDecision> last;
    for (int i = 0; i < 4 || !last->is_admitted; ++i) {
      last = take(*store, key, terms);
      ASSERT_LE(last->wait, 80ms);
    }
    EXPECT_TRUE(last->is_admitted);
  }
}

TEST_F(RedisRatesTest, keys_go_by_themselves) {
  const auto store = redis_rates(redis_);
  (void)take(*store, "a", {RateAlgorithm::token_bucket, 10, 10s});
  (void)take(*store, "b", {RateAlgorithm::sliding_window, 10, 10s});
  const auto bucket = ask<std::int64_t>("PTTL", "eider:rates:a");
  const auto window = ask<std::int64_t>("PTTL", "eider:rates:b");
  EXPECT_GT(bucket, 0);
  EXPECT_LE(bucket, 1001);
  EXPECT_GT(window, 10'000);
  EXPECT_LE(window, 20'001);
}

TEST_F(RedisRatesTest, a_key_that_is_refused_concerns_no_other) {
  const auto store = redis_rates(redis_, {.time_max = 10s, .pause = 1h});
  const RateTerms terms{RateAlgorithm::token_bucket, 10, 1h};
  (void)ask<std::int64_t>("RPUSH", "eider:rates:a", "no bucket");
  EXPECT_FALSE(take(*store, "a", terms));
  EXPECT_TRUE(take(*store, "b", terms));
}

TEST_F(RedisRatesTest, while_redis_is_away_it_does_not_know_and_holds_nobody_up) {
  RedisServer server;
  const Redis redis(server.url());
  const auto store = redis_rates(redis, {.time_max = 1s, .pause = 1h});
  const RateTerms terms{RateAlgorithm::token_bucket, 10, 1h};
  EXPECT_TRUE(take(*store, "a", terms));
  server.signal(SIGSTOP);  // it accepts connections, but does not respond
  EXPECT_FALSE(take(*store, "a", terms));
  server.signal(SIGCONT);
  EXPECT_FALSE(take(*store, "a", terms));  // Redis is not called during the pause
  const auto other = redis_rates(redis, {.time_max = 10s, .pause = 0s});
  EXPECT_TRUE(take(*other, "a", terms));
}

}  // namespace
}  // namespace eider
