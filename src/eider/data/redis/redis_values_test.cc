#include "eider/data/redis/redis_values.h"

#include <chrono>
#include <optional>
#include <string>

#include "eider/data/cache/cache.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

class RedisValuesTest : public RedisTest {
 protected:
  std::string get(const Cache& cache) {
    return on_loop_.run([](Cache of, int* made) -> Task<std::string> {
      const CachedBytes value = co_await of.get_bytes("k", [made]() -> Task<std::string> {
        co_return std::string("\0v", 2).append(std::to_string(++*made));
      });
      co_return value->substr(1);
    }(cache, &made_));
  }

  int made_ = 0;
};

TEST_F(RedisValuesTest, two_processes_share_a_value) {
  const Cache one(redis_values(redis_));
  const Cache other(redis_values(open()));
  EXPECT_EQ(get(one), "v1");
  EXPECT_EQ(get(other), "v1");
  on_loop_.run(other.erase("k"));
  EXPECT_EQ(get(one), "v2");
}

TEST_F(RedisValuesTest, a_value_goes_when_it_is_no_longer_given) {
  const Cache cache(redis_values(redis_), {.ttl = 10s, .stale_while_revalidate = 20s});
  (void)get(cache);
  const auto left = ask<std::int64_t>("PTTL", "eider:values:k");
  EXPECT_GT(left, 20'000);
  EXPECT_LE(left, 30'000);
  ask("PEXPIRE", "eider:values:k", 20'000);  // as if 10 s had passed: it is stale
  EXPECT_EQ(get(cache), "v1");
  EXPECT_EQ(cache.counts().stale, 1U);
}

TEST_F(RedisValuesTest, what_is_kept_near_costs_redis_nothing_until_another_process_changes_it) {
  const Cache near(redis_values(redis_, {.near_cache = RedisCacheOptions{}}));
  const Cache other(redis_values(open()));
  const auto gets = [this] {
    const auto info = ask<std::string>("INFO", "commandstats");
    const std::size_t at = info.find("cmdstat_get:calls=");
    return at == std::string::npos ? 0 : std::stoll(info.substr(at + 18));
  };
  EXPECT_EQ(get(near), "v1");
  for (auto before = gets() - 1; before != gets(); before = gets()) {
    EXPECT_EQ(get(near), "v1");  // before Redis has enabled tracking, nothing is cached locally
  }
  const auto before = gets();
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(get(near), "v1");
  }
  EXPECT_EQ(gets(), before);
  on_loop_.run(near.erase("k"));
  EXPECT_EQ(get(near), "v2");  // immediately
  EXPECT_EQ(get(other), "v2");
  EXPECT_EQ(get(near), "v2");
  on_loop_.run(other.erase("k"));
  for (int i = 0; i < 1000 && get(near) == "v2"; ++i) {
    on_loop_.run([]() -> Task<> { co_await sleep_for(1ms); }());
  }
  EXPECT_EQ(get(near), "v3");
  EXPECT_EQ(made_, 3);
}

TEST_F(RedisValuesTest, while_redis_is_away_values_are_made_and_an_erase_fails) {
  RedisServer server;
  const Redis redis(server.url(), {.command_time_max = 1s});
  const Cache cache(redis_values(redis, {.time_max = 1s, .pause = 1h}));
  EXPECT_EQ(get(cache), "v1");
  server.signal(SIGSTOP);
  EXPECT_EQ(get(cache), "v2");
  EXPECT_EQ(get(cache), "v3");
  EXPECT_THROW(on_loop_.run(cache.erase("k")), RedisFailure);
  server.signal(SIGCONT);
}

TEST_F(RedisValuesTest, what_is_too_large_is_not_kept) {
  const Cache cache(redis_values(redis_, {.value_bytes_max = 1}));
  EXPECT_EQ(get(cache), "v1");
  EXPECT_EQ(get(cache), "v2");
}

}  // namespace
}  // namespace eider
