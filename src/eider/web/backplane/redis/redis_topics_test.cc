#include "eider/web/backplane/redis/redis_topics.h"

#include <chrono>
#include <string>

#include "tests/support/redis_tests.h"
#include "tests/support/relayed_process.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

TEST_F(RedisTest, topics_reach_the_other_processes_once) {
  on_loop_.run([](Redis redis) -> Task<> {
    RelayedProcess a(redis_topics(redis));
    RelayedProcess b(redis_topics(redis));
    co_await until([&] { return a.missed == 1 && b.missed == 1; });
    for (int i = 0; i < 1000; ++i) {
      a.topics.publish("room", std::to_string(i));
    }
    co_await until([&] { return b.listener.events.size() == 1000; });
    b.topics.publish("room", "back");
    co_await until([&] { return a.listener.events.size() == 1001; });
    EXPECT_EQ(b.listener.events[999], "data: 999\n\n");
    EXPECT_EQ(b.listener.events.size(), 1001U);
    EXPECT_EQ(a.missed + b.missed, 2);
  }(redis_));
}

TEST_F(RedisTest, topics_tell_what_was_missed_while_redis_was_away) {
  RedisServer server;
  on_loop_.run([](Redis redis, RedisServer* its) -> Task<> {
    RelayedProcess a(redis_topics(redis));
    RelayedProcess b(redis_topics(redis));
    co_await until([&] { return a.missed == 1 && b.missed == 1; });
    its->kill();
    a.topics.publish("room", "lost");
    co_await until([&] { return a.relay.counts().lost == 1; });
    its->start();
    // Each process reports its own subscription and reconnection as missed messages, and one that
    // `a` sends.
    co_await until([&] { return a.missed >= 3 && b.missed >= 3; });
    a.topics.publish("room", "again");
    co_await until([&] { return !b.listener.events.empty(); });
    EXPECT_EQ(b.listener.events.front(), "data: again\n\n");
  }(Redis(server.url(), {.command_time_max = 1s}), &server));
}

TEST_F(RedisTest, topics_begin_when_redis_comes_later) {
  RedisServer server;
  server.kill();
  on_loop_.run([](Redis redis, RedisServer* its) -> Task<> {
    RelayedProcess a(redis_topics(redis));
    co_await sleep_for(300ms);
    EXPECT_EQ(a.missed, 0);
    its->start();
    co_await until([&] { return a.missed == 1; });
  }(Redis(server.url(), {.command_time_max = 100ms}), &server));
}

}  // namespace
}  // namespace eider
