// Rare or hostile responses of a server.
#include <chrono>
#include <string>
#include <thread>

#include "eider/data/redis/redis_cache.h"
#include "eider/data/redis/redis_subscriber.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_script.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using redis::word;
using Peer = RedisScript::Peer;

class OddServer : public ::testing::Test {
 protected:
  TestLoop on_loop_;
};

TEST_F(OddServer, a_push_that_is_cut_short_ends_its_connection_alone) {
  for (const std::string push :
       {">1\r\n$10\r\ninvalidate\r\n", ">2\r\n$10\r\ninvalidate\r\n:5\r\n"}) {
    RedisScript server([&push](Peer& peer) {
      peer.greet();
      while (!peer.hear().empty()) {
        peer.say(peer.number() == 1 ? push : "+OK\r\n");
      }
    });
    on_loop_.run([](Redis redis, RedisScript* of) -> Task<> {
      RedisCache cache(redis);
      auto getting = cache.get("k");
      EXPECT_EQ((co_await failure_of(getting)).fault(), RedisFault::lost);
      while (of->connections() != 2) {
        co_await sleep_for(1ms);
      }
    }(Redis(server.url()), &server));
  }
}

TEST_F(OddServer, what_is_invalidated_amid_its_answer_is_not_kept_wherever_that_is_cut) {
  const std::string value = "$1\r\n1\r\n";
  for (const std::string push :
       {">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n", ">2\r\n$10\r\ninvalidate\r\n_\r\n",
        "|1\r\n+ttl\r\n:1\r\n>2\r\n+invalidate\r\n*1\r\n+k\r\n"}) {
    const std::string sent = value + push + ":-1\r\n";
    std::size_t cut = 0;
    RedisScript server([&](Peer& peer) {
      peer.greet();
      for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
        if (asked == "GET kept") {
          peer.say(value + ":-1\r\n");
        } else if (asked == "GET k") {
          cut = (cut + 1) % sent.size();
          peer.say(sent.substr(0, cut));
          std::this_thread::sleep_for(1ms);
          peer.say(sent.substr(cut));
        } else if (asked.starts_with("CLIENT")) {
          peer.say("+OK\r\n");
        }
      }
    });
    on_loop_.run([](Redis redis, std::size_t cuts, bool is_of_all) -> Task<> {
      RedisCache cache(redis);
      while (cache.counts().hits == 0) {  // until the server has enabled tracking
        (void)co_await cache.get("kept");
      }
      for (std::size_t i = 0; i < cuts; ++i) {
        const auto misses = cache.counts().misses;
        EXPECT_EQ(co_await cache.get("k"), "1");
        EXPECT_EQ(cache.counts().misses, misses + 1);
        co_await sleep_for(2ms);  // the last bytes may still arrive
        EXPECT_EQ(cache.size(), is_of_all ? 0U : 1U);
        if (is_of_all) {
          (void)co_await cache.get("kept");
        }
      }
    }(Redis(server.url()), sent.size(), push.contains("_")));
  }
}

TEST_F(OddServer, a_subscription_that_is_not_named_ends_its_connection_alone) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    while (!peer.hear().empty()) {
      peer.say(peer.number() == 1 ? ">1\r\n$9\r\nsubscribe\r\n"
                                  : ">3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
    }
  });
  on_loop_.run([](Redis redis, RedisScript* of) -> Task<> {
    RedisSubscriber news(redis);
    auto subscribing = news.subscribe("a");
    EXPECT_EQ((co_await failure_of(subscribing)).fault(), RedisFault::lost);
    while (of->connections() != 2) {
      co_await sleep_for(1ms);
    }
  }(Redis(server.url()), &server));
}

TEST_F(OddServer, one_that_greets_and_closes_is_left_in_peace_for_a_while) {
  RedisScript server([](Peer& peer) { peer.greet(); });
  on_loop_.run([](Redis redis, RedisScript* of) -> Task<> {
    RedisSubscriber news(redis);
    const Instant begun = Loop::current().read_now();
    auto subscribing = news.subscribe("a");
    (void)co_await failure_of(subscribing);
    while (of->connections() < 7) {
      co_await sleep_for(1ms);
    }
    EXPECT_GE(Loop::current().read_now() - begun, 100ms);
  }(Redis(server.url(), {.retry_first = 50ms}), &server));
}

TEST_F(OddServer, a_watch_whose_connection_ends_with_its_answer_aborts_the_transaction) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
      if (asked == "WATCH k") {
        return peer.say("+OK\r\n-ERR server is going\r\n");
      }
      peer.say(asked == "EXEC" ? "*1\r\n+OK\r\n" : "+OK\r\n");
    }
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSession session = redis.session();
    co_await session.watch("k");
    auto aborted = session.transaction(word("SET", "k", 1));
    EXPECT_EQ((co_await failure_of(aborted)).fault(), RedisFault::aborted);
    (void)co_await session.transaction(word("SET", "k", 1));
  }(Redis(server.url())));
}

TEST_F(OddServer, one_that_never_ends_its_answer_is_left) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    while (!peer.hear().empty()) {
      if (peer.number() != 1) {
        peer.say("+PONG\r\n");
        continue;
      }
      peer.say("$1000\r\n");
      for (int i = 0; i < 200; ++i) {
        peer.say("x");
        std::this_thread::sleep_for(5ms);
      }
    }
  });
  on_loop_.run([](Redis redis, RedisScript* of) -> Task<> {
    RedisFault fault = RedisFault::expired;
    for (int i = 0; i < 5 && fault == RedisFault::expired; ++i) {
      auto ping = redis.command("PING");
      fault = (co_await failure_of(ping)).fault();
    }
    EXPECT_EQ(fault, RedisFault::open);  // no failure: it gets a response
    EXPECT_EQ(of->connections(), 2);
  }(Redis(server.url(), {.command_time_max = 500ms}), &server));
}

TEST_F(OddServer, one_that_is_given_longer_is_not_left_for_a_shorter_command_behind) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    (void)peer.hear();
    (void)peer.hear();
    std::this_thread::sleep_for(1500ms);
    peer.say("+LONG\r\n+SHORT\r\n");
    (void)peer.hear();
  });
  on_loop_.run([](Redis redis) -> Task<> {
    auto longer = redis.within(10s).command<std::string>("LONG");
    auto shorter = redis.command("SHORT");
    EXPECT_EQ((co_await failure_of(shorter)).fault(), RedisFault::expired);
    EXPECT_EQ(co_await longer, "LONG");
  }(Redis(server.url(), {.command_time_max = 1s})));
}

TEST_F(OddServer, commands_that_were_given_up_are_with_the_server_all_the_same) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    while (!peer.hear().empty()) {
    }
  });
  on_loop_.run([](Redis redis) -> Task<> {
    auto kept = redis.within(10s).command("FIRST");
    RedisFault fault = RedisFault::expired;
    for (int i = 0; i < 50 && fault == RedisFault::expired; ++i) {
      auto given_up = redis.within(1ms).command("MORE");
      fault = (co_await failure_of(given_up)).fault();
    }
    EXPECT_EQ(fault, RedisFault::busy);
  }(Redis(server.url(), {.command_time_max = 10s, .commands_max = 10})));
}

/// Returns an array of `count` values with that text.
std::string values_of(int count, std::string_view value) {
  std::string all = "*" + std::to_string(count) + "\r\n";
  for (int index = 0; index < count; ++index) {
    all += value;
  }
  return all;
}

// Each value uses a string in memory, so 60 MiB of these would become a gigabyte.
TEST_F(OddServer, an_answer_of_too_many_short_values_breaks_the_connection) {
  for (const std::string_view value : {"+\r\n", "$0\r\n\r\n", "_\r\n"}) {
    const std::string many = values_of(1'100'000, value);
    RedisScript server([&](Peer& peer) {
      peer.greet();
      (void)peer.hear();
      peer.say(many);
      (void)peer.hear();
    });
    on_loop_.run([](Redis redis) -> Task<> {
      auto answer = redis.command<std::vector<std::string>>("MANY");
      EXPECT_EQ((co_await failure_of(answer)).fault(), RedisFault::lost);
    }(Redis(server.url(), {.command_time_max = Duration::max()})));
  }
}

TEST_F(OddServer, an_answer_of_many_values_or_long_lines_or_deep_ones_is_read) {
  const std::string line(70'000, 'x');
  std::string deep;
  for (int i = 0; i < 40; ++i) {
    deep += "*1\r\n";
  }
  const std::string many = values_of(1'000'000, ":1\r\n");
  RedisScript server([&](Peer& peer) {
    peer.greet();
    (void)peer.hear();
    peer.say("+" + line + "\r\n");
    (void)peer.hear();
    peer.say(deep + ":1\r\n");
    (void)peer.hear();
    peer.say(many);
    (void)peer.hear();
  });
  on_loop_.run([](Redis redis) -> Task<> {
    EXPECT_EQ((co_await redis.command<std::string>("LINE")).size(), 70'000U);
    co_await redis.command("DEEP");
    co_await redis.command("MANY");
  }(Redis(server.url(), {.command_time_max = Duration::max()})));
}

TEST_F(OddServer, what_passes_by_itself_at_the_login_is_waited_for) {
  RedisScript server([](Peer& peer) {
    if (peer.number() == 1) {
      (void)peer.hear();
      return peer.say("-MASTERDOWN Link with MASTER is down\r\n");
    }
    peer.greet();
    (void)peer.hear();
    peer.say("+OK\r\n");
    (void)peer.hear();
  });
  on_loop_.run([](Redis redis) -> Task<> { co_await redis.command("PING"); }(Redis(server.url())));
}

}  // namespace
}  // namespace eider
