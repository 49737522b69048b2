#include "eider/data/redis/redis_subscriber.h"

#include <chrono>
#include <csignal>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

Task<> publish(Redis redis, std::string channel, std::string payload) {
  co_await redis.command("PUBLISH", channel, payload);
}

/// Returns the number of receivers of the channel at the server.
Task<int> hearers(Redis redis, std::string channel) {
  co_return co_await redis.command<int>("PUBLISH", channel, "?");
}

TEST_F(RedisTest, messages_come_by_channel_pattern_and_shard) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    co_await news.subscribe_pattern("b*");
    co_await news.subscribe_shard("c");
    const std::string binary("\0\r\n>", 4);
    co_await publish(redis, "a", binary);
    co_await publish(redis, "bb", "second");
    co_await redis.command("SPUBLISH", "c", "third");
    const RedisMessage first = co_await news.receive();
    EXPECT_EQ(first.channel, "a");
    EXPECT_EQ(first.payload, binary);
    EXPECT_TRUE(first.pattern.empty());
    const RedisMessage second = co_await news.receive();
    EXPECT_EQ(second.pattern, "b*");
    EXPECT_EQ(second.channel, "bb");
    EXPECT_EQ(second.payload, "second");
    EXPECT_EQ((co_await news.receive()).payload, "third");
    co_await news.unsubscribe("a");
    co_await news.unsubscribe_pattern("b*");
    co_await news.unsubscribe_shard("c");
    EXPECT_EQ(co_await hearers(redis, "a"), 0);
    EXPECT_EQ(co_await hearers(redis, "bb"), 0);
  }(redis_));
}

TEST_F(RedisTest, who_stops_receiving_loses_nothing) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    EXPECT_FALSE((co_await with_deadline(news.receive(), 10ms)).has_value());
    co_await publish(redis, "a", "1");
    EXPECT_EQ((co_await news.receive()).payload, "1");
  }(redis_));
}

TEST_F(RedisTest, a_slow_reader_is_told_what_its_queue_had_no_room_for) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis, {.messages_max = 3, .bytes_max = 100});
    co_await news.subscribe("a");
    for (int i = 0; i < 8; ++i) {
      co_await publish(redis, "a", std::to_string(i));
    }
    co_await sleep_for(50ms);
    std::string seen;
    for (int i = 0; i < 3; ++i) {
      seen += (co_await news.receive()).payload;
    }
    EXPECT_EQ(seen, "012");
    const RedisMessage gap = co_await news.receive();
    EXPECT_TRUE(gap.is_gap);
    EXPECT_EQ(gap.missed, 5U);
    co_await publish(redis, "a", std::string(101, 'x'));
    co_await publish(redis, "a", "after");
    EXPECT_EQ((co_await news.receive()).missed, 1U);
    EXPECT_EQ((co_await news.receive()).payload, "after");
  }(redis_));
}

TEST_F(RedisTest, behind_a_lost_connection_it_subscribes_again_and_tells_the_gap) {
  RedisServer server;
  on_loop_.run([](Redis redis, RedisServer* of) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    co_await news.subscribe_pattern("b*");
    co_await publish(redis, "a", "before");
    EXPECT_EQ((co_await news.receive()).payload, "before");
    of->restart();
    while (co_await hearers(redis.within(1min), "bb") == 0) {
      co_await sleep_for(5ms);
    }
    co_await publish(redis, "a", "behind");
    const RedisMessage gap = co_await news.receive();
    EXPECT_TRUE(gap.is_gap);
    EXPECT_EQ(gap.missed, 0U);
    EXPECT_EQ((co_await news.receive()).channel, "bb");
    EXPECT_EQ((co_await news.receive()).payload, "behind");
  }(Redis(server.url(), {.command_time_max = 1s}), &server));
}

TEST_F(RedisTest, a_silent_server_is_found_out_by_a_subscriber_that_only_listens) {
  RedisServer server;
  on_loop_.run([](Redis redis, RedisServer* of) -> Task<> {
    RedisSubscriber news(redis, {.ping_after = 50ms});
    co_await news.subscribe("a");
    of->signal(SIGSTOP);
    EXPECT_TRUE((co_await news.receive()).is_gap);
    of->signal(SIGCONT);
    while (co_await hearers(redis.within(1min), "a") == 0) {
      co_await sleep_for(5ms);
    }
    EXPECT_TRUE((co_await news.receive()).is_gap);  // after it, nothing is missed
    EXPECT_EQ((co_await news.receive()).payload, "?");
  }(Redis(server.url(), {.command_time_max = 1s, .connect_time_max = 1s}), &server));
}

TEST_F(RedisTest, a_channel_that_is_refused_behind_a_lost_connection_is_told) {
  RedisServer server({"user default on nopass ~* &* +@all"});
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("yours");
    auto admin = redis.session();
    co_await admin.command("ACL", "SETUSER", "default", "resetchannels", "&mine");
    try {
      while ((co_await news.receive()).is_gap) {
      }
      ADD_FAILURE() << "nothing was published";
    } catch (const RedisFailure& failure) {
      EXPECT_EQ(failure.fault(), RedisFault::refused);
    }
  }(Redis(server.url())));
}

TEST_F(RedisTest, channels_count_for_the_bytes_of_a_queue) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis, {.bytes_max = 1000});
    co_await news.subscribe_pattern("*");
    co_await publish(redis, std::string(2000, 'c'), "");
    EXPECT_EQ((co_await news.receive()).missed, 1U);
  }(redis_));
}

TEST_F(RedisTest, a_channel_that_the_server_refuses_is_told_and_forgotten) {
  RedisServer server({"user default on nopass ~* resetchannels &mine +@all"});
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    auto refused = news.subscribe("yours");
    EXPECT_EQ((co_await failure_of(refused)).code(), "NOPERM");
    co_await news.subscribe("mine");
    co_await publish(redis, "mine", "1");
    EXPECT_EQ((co_await news.receive()).payload, "1");
  }(Redis(server.url())));
}

}  // namespace
}  // namespace eider
