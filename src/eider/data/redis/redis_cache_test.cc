#include "eider/data/redis/redis_cache.h"

#include <chrono>
#include <csignal>
#include <string>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/many_commands.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using Value = std::optional<std::string>;

/// Reads until the value is `wanted`: invalidations of Redis arrive soon, but not immediately.
Task<bool> becomes(RedisCache& cache, std::string key, Value wanted) {
  for (int i = 0; i < 2000; ++i) {
    const Value found = co_await cache.get(key);
    if (found == wanted) {
      co_return true;
    }
    co_await sleep_for(1ms);
  }
  co_return false;
}

/// Reads until the value comes from the cache: before Redis has enabled tracking, nothing is
/// cached.
Task<bool> is_kept(RedisCache& cache, std::string key) {
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t hits = cache.counts().hits;
    (void)co_await cache.get(key);
    if (cache.counts().hits != hits) {
      co_return true;
    }
    co_await sleep_for(1ms);
  }
  co_return false;
}

TEST_F(RedisTest, what_is_kept_is_answered_without_redis_until_it_changes) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisCache cache(redis);
    co_await redis.command("SET", "k", "first");
    EXPECT_TRUE(co_await is_kept(cache, "k"));
    EXPECT_TRUE(co_await is_kept(cache, "none"));
    const auto misses = cache.counts().misses;
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(co_await cache.get("k"), "first");
      EXPECT_EQ(co_await cache.get("none"), std::nullopt);
    }
    EXPECT_EQ(cache.counts().misses, misses);
    co_await redis.command("SET", "k", "second");
    co_await redis.command("SET", "none", "some");
    EXPECT_TRUE(co_await becomes(cache, "k", "second"));
    EXPECT_TRUE(co_await becomes(cache, "none", "some"));
    EXPECT_GE(cache.counts().invalidated, 2U);
    co_await redis.command("FLUSHALL");
    EXPECT_TRUE(co_await becomes(cache, "k", std::nullopt));
  }(redis_));
}

TEST_F(RedisTest, a_value_that_changes_while_it_is_asked_for_is_not_kept_stale) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisCache cache(redis);
    EXPECT_TRUE(co_await is_kept(cache, "n"));
    for (int i = 1; i <= 500; ++i) {
      auto changing = redis.command<int>("SET", "n", i, "GET");
      Scope asking;
      asking.start([](RedisCache* of) -> Task<> { (void)co_await of->get("n"); }(&cache));
      co_await redis.command("PING");
      co_await asking.join();
    }
    EXPECT_TRUE(co_await becomes(cache, "n", "500"));
    EXPECT_TRUE(co_await is_kept(cache, "n"));
    EXPECT_EQ(co_await cache.get("n"), "500");
  }(redis_));
}

TEST_F(RedisTest, a_cache_keeps_no_value_beyond_its_expiry_nor_its_own_time) {
  on_loop_.run([](Redis redis) -> Task<> {
    // So that Redis does not invalidate it.
    co_await redis.command("DEBUG", "SET-ACTIVE-EXPIRE", 0);
    RedisCache cache(redis, {.ttl_max = 100ms});
    co_await redis.command("SET", "short", "first", "PX", 60);
    EXPECT_TRUE(co_await is_kept(cache, "short"));
    EXPECT_TRUE(co_await becomes(cache, "short", std::nullopt));
    co_await redis.command("DEBUG", "SET-ACTIVE-EXPIRE", 1);
    co_await redis.command("SET", "swapped", "first");
    EXPECT_TRUE(co_await is_kept(cache, "swapped"));
    co_await redis.command("SWAPDB", 0, 1);
    EXPECT_TRUE(co_await becomes(cache, "swapped", std::nullopt));
  }(redis_));
}

/// Returns the number of reads at the server.
Task<std::int64_t> gets_of(Redis redis) {
  const auto info = co_await redis.command<std::string>("INFO", "commandstats");
  const std::size_t at = info.find("cmdstat_get:calls=");
  co_return at == std::string::npos ? 0 : std::stoll(info.substr(at + 18));
}

TEST_F(RedisTest, a_hot_key_costs_the_server_one_get_for_each_change) {
  on_loop_.run([](Redis redis, Redis other) -> Task<> {
    RedisCache cache(redis);
    EXPECT_TRUE(co_await is_kept(cache, "hot"));
    for (int change = 1; change <= 20; ++change) {
      const auto invalidated = cache.counts().invalidated;
      co_await other.command("SET", "hot", change);
      while (cache.counts().invalidated == invalidated) {
        co_await sleep_for(1ms);
      }
      const auto before = co_await gets_of(other);
      for (int i = 0; i < 500; ++i) {
        EXPECT_EQ(co_await cache.get("hot"), std::to_string(change));
      }
      EXPECT_EQ(co_await gets_of(other), before + 1);
    }
  }(redis_, open()));
}

TEST_F(RedisTest, keys_and_bytes_of_a_cache_are_bounded) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisCache cache(redis, {.keys_max = 3, .bytes_max = 100});
    co_await redis.command("MSET", "a", 1, "b", 2, "c", 3, "d", 4);
    for (const char* key : {"a", "b", "c", "a", "d"}) {
      EXPECT_TRUE(co_await is_kept(cache, key));
    }
    EXPECT_EQ(cache.size(), 3U);
    const auto misses = cache.counts().misses;
    EXPECT_EQ(co_await cache.get("a"), "1");
    EXPECT_EQ(cache.counts().misses, misses);
    EXPECT_EQ(co_await cache.get("b"), "2");  // the least recently used value
    EXPECT_EQ(cache.counts().misses, misses + 1);
    co_await redis.command("SET", "long", std::string(98, 'x'));
    EXPECT_EQ((co_await cache.get("long"))->size(), 98U);
    EXPECT_EQ((co_await cache.get("long"))->size(), 98U);
    EXPECT_EQ(cache.counts().misses, misses + 3);
    EXPECT_LE(cache.size(), 3U);
  }(redis_));
}

TEST_F(RedisTest, a_cache_answers_nothing_old_behind_a_lost_connection) {
  RedisServer server;
  on_loop_.run([](Redis redis, RedisServer* of) -> Task<> {
    RedisCache cache(redis, {.ping_after = 50ms});
    co_await redis.command("SET", "k", "first");
    EXPECT_TRUE(co_await is_kept(cache, "k"));
    of->restart();
    while (cache.size() != 0) {
      co_await sleep_for(1ms);
    }
    co_await redis.within(1min).command("SET", "k", "second");
    EXPECT_TRUE(co_await becomes(cache, "k", "second"));
    EXPECT_TRUE(co_await is_kept(cache, "k"));
    of->signal(SIGSTOP);
    while (cache.size() != 0) {
      co_await sleep_for(5ms);
    }
    of->signal(SIGCONT);
    EXPECT_TRUE(co_await is_kept(cache, "k"));
  }(Redis(server.url(), {.command_time_max = 2s, .connect_time_max = 2s}), &server));
}

TEST_F(RedisTest, a_hundred_thousand_commands_leave_the_memory_as_it_was) {
  if (kKeepsWhatWasFreed) {
    GTEST_SKIP() << "the sanitizer keeps what was freed";
  }
  const ResidentMib resident = resident_in_commands(open(), 100'000);
  EXPECT_LT(resident.at_end, resident.at_tenth + 1);
}

}  // namespace
}  // namespace eider
