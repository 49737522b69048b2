#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "eider/data/redis/redis_cache.h"
#include "eider/data/redis/redis_subscriber.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_load.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using redis::word;

class ClusterTest : public ::testing::Test {
 protected:
  TestLoop on_loop_;
};

Task<> use_all_kinds(Redis redis) {
  Scope scope;
  for (int i = 0; i < 300; ++i) {
    scope.start([](Redis of, int number) -> Task<> {
      const std::string key = "key:" + std::to_string(number);
      co_await of.command("SET", key, number);
      EXPECT_EQ(co_await of.command<int>("GET", key), number);
    }(redis, i));
  }
  co_await scope.join();
  auto [first, second, none, third] =
      co_await redis.pipeline(word<int>("GET", "key:1"), word<int>("GET", "key:2"), word("PING"),
                              word<int>("INCR", "key:3"));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
  EXPECT_EQ(third, 4);
  auto [one, two] =
      co_await redis.transaction(word<int>("INCR", "{t}1"), word<int>("INCRBY", "{t}2", 5));
  EXPECT_EQ(one, 1);
  EXPECT_EQ(two, 5);
  const redis::Script script("return redis.call('INCRBY', KEYS[1], ARGV[1])");
  for (int i = 0; i < 30; ++i) {
    std::vector<std::string> keys;
    keys.push_back("counted:" + std::to_string(i));
    EXPECT_EQ(co_await redis.run<int>(script, std::move(keys), i), i);
  }
}

Task<> fail_by_name(Redis redis) {
  auto several = redis.command("MSET", "key:1", 1, "key:2", 2);
  auto transaction = redis.transaction(word("SET", "key:1", 1), word("SET", "key:2", 2));
  const RedisFailure of_server = co_await failure_of(several);
  const RedisFailure here = co_await failure_of(transaction);
  for (const RedisFailure& failure : {of_server, here}) {
    EXPECT_EQ(failure.code(), "CROSSSLOT");
    EXPECT_FALSE(failure.may_be_done());
    EXPECT_TRUE(std::string(failure.what()).contains("{user7}:name")) << failure.what();
  }
  auto keys = redis.command("KEYS", "*");
  EXPECT_EQ((co_await failure_of(keys)).fault(), RedisFault::refused);
  auto pipeline = redis.pipeline(word("LPUSH", "key:1", 1), word("INCR", "key:2"));
  const RedisFailure one_of_two = co_await failure_of(pipeline);
  EXPECT_EQ(one_of_two.code(), "WRONGTYPE");
  EXPECT_TRUE(one_of_two.may_be_done());
  EXPECT_EQ(co_await redis.command<int>("GET", "key:2"), 3);
  EXPECT_THROW((void)redis.session(), RedisFailure);
  EXPECT_THROW(RedisCache{redis}, RedisFailure);
  EXPECT_THROW((void)redis.command("BLPOP", "q", 1), RedisFailure);
}

Task<> use_sessions(Redis redis) {
  using Popped = std::optional<std::array<std::string, 2>>;
  for (const std::string key : {"watched:1", "watched:2", "watched:3"}) {
    RedisSession session = co_await redis.session_of(key);
    co_await session.watch(key);
    co_await redis.command("SET", key, 1);
    auto aborted = session.transaction(word("INCR", key));
    EXPECT_EQ((co_await failure_of(aborted)).fault(), RedisFault::aborted);
    auto waiting = session.within(10s).command<Popped>("BLPOP", "{" + key + "}q", 5);
    co_await redis.command("RPUSH", "{" + key + "}q", "job");
    EXPECT_EQ((co_await waiting).value()[1], "job");
  }
  RedisSubscriber news(redis);
  co_await news.subscribe("news");
  for (int i = 0; i < 5; ++i) {
    co_await redis.command("PUBLISH", "news", i);
    EXPECT_EQ((co_await news.receive()).payload, std::to_string(i));
  }
}

TEST_F(ClusterTest, each_command_goes_to_the_node_of_its_key) {
  RedisCluster cluster(on_loop_);
  const Redis redis(cluster.url(), {.command_time_max = 5s});
  on_loop_.run(use_all_kinds(redis));
  std::size_t keys = 0;
  for (std::size_t i = 0; i < RedisCluster::kMasters; ++i) {
    EXPECT_GT(cluster.ask<std::size_t>(i, "DBSIZE"), 50U);
    keys += cluster.ask<std::size_t>(i, "DBSIZE");
  }
  EXPECT_EQ(keys, 300U + 2 + 30);
  on_loop_.run(fail_by_name(redis));
  on_loop_.run(use_sessions(redis));
}

TEST_F(ClusterTest, a_slot_that_moves_under_load_loses_and_doubles_nothing) {
  RedisCluster cluster(on_loop_);
  const std::size_t from = RedisCluster::index_of("numbers");
  const Redis redis(cluster.url(), {.command_time_max = 2s});
  RedisTally tally;
  on_loop_.run([](Redis of, RedisCluster* all, std::size_t index, RedisTally* noted) -> Task<> {
    Scope beside;
    beside.start(write_side_by_side(of, 2500ms, noted));
    for (std::size_t i = 0; i < RedisCluster::kMasters; ++i) {  // once for each master
      co_await sleep_for(300ms);
      auto [before, after] =
          co_await of.pipeline(word<int>("LLEN", "numbers"), word<int>("LLEN", "numbers"));
      EXPECT_LE(before, after);
      co_await all->move_slot("numbers", (index + i) % RedisCluster::kMasters,
                              (index + i + 1) % RedisCluster::kMasters);
    }
    co_await beside.join();
  }(redis, &cluster, from, &tally));
  const RedisCount count = count_numbers(on_loop_, redis, tally);
  EXPECT_EQ(count.missing, 0);
  EXPECT_EQ(count.doubled, 0);
  EXPECT_EQ(tally.lost + tally.expired, 0);
  EXPECT_EQ(tally.undone, 0);
  EXPECT_EQ(count.there, tally.done);
}

TEST_F(ClusterTest, behind_the_death_of_a_node_its_slots_are_its_replicas) {
  RedisCluster cluster(on_loop_, "numbers");
  const std::size_t index = RedisCluster::index_of("numbers");
  const Redis redis(cluster.url(), {.command_time_max = 1s, .connect_time_max = 500ms});
  RedisTally tally;
  {
    const std::jthread beside([&] {
      std::this_thread::sleep_for(500ms);
      cluster.server(index).kill();
    });
    on_loop_.run(write_side_by_side(redis, 7s, &tally));
  }
  const RedisCount count = count_numbers(on_loop_, redis.within(20s), tally);
  EXPECT_EQ(count.doubled, 0);
  EXPECT_GT(tally.undone + tally.unknown(), 0);
  EXPECT_LT(tally.longest, 2s);
  on_loop_.run([](Redis of) -> Task<> {
    for (int i = 0; i < 50; ++i) {
      const std::string key = "after:" + std::to_string(i);
      EXPECT_TRUE(co_await of.command<bool>("SET", key, i));
    }
  }(redis.within(20s)));
}

}  // namespace
}  // namespace eider
