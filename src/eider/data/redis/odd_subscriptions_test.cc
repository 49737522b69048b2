// Servers that respond to subscriptions differently from Redis.
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "eider/data/redis/redis_subscriber.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/redis_script.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using Peer = RedisScript::Peer;

class OddSubscriptions : public ::testing::Test {
 protected:
  TestLoop on_loop_;
};

std::string text_of(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

/// Returns the response of Redis to "subscribe a" and similar commands.
std::string agreed(const std::string& asked) {
  const auto blank = asked.find(' ');
  return ">3\r\n" + text_of(asked.substr(0, blank)) + text_of(asked.substr(blank + 1)) + ":1\r\n";
}

std::string message_on(const std::string& channel) {
  return ">3\r\n" + text_of("message") + text_of(channel) + text_of("?");
}

void agree_to(Peer& peer, int questions) {
  for (int i = 0; i < questions; ++i) {
    peer.say(agreed(peer.hear()));
  }
}

/// Confirms "a" on the third connection, which then has a message.
void agree_by_the_third_time(Peer& peer) {
  if (peer.number() == 2) {
    (void)peer.hear();
    peer.say("-BUSY Redis is busy running a script.\r\n");
    (void)peer.hear();
    return;
  }
  agree_to(peer, 1);
  peer.say(message_on("a"));
  (void)peer.hear();
}

/// Returns the number of gaps before the next message of that channel; -1: no message.
Task<int> gaps_ahead_of(RedisSubscriber* news, std::string channel) {
  int gaps = 0;
  while (true) {
    const std::optional<RedisMessage> message = co_await with_deadline(news->receive(), 5s);
    if (!message) {
      co_return -1;
    }
    if (message->channel == channel) {
      co_return gaps;
    }
    gaps += message->is_gap ? 1 : 0;
  }
}

TEST_F(OddSubscriptions, one_that_passes_by_itself_behind_a_lost_connection_is_asked_for_again) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    if (peer.number() == 1) {
      return agree_to(peer, 2);  // with the one that is requested while the connection exists
    }
    agree_by_the_third_time(peer);
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    EXPECT_TRUE((co_await news.receive()).is_gap);
    EXPECT_GT(co_await gaps_ahead_of(&news, "a"), 0);
  }(Redis(server.url())));
}

// The caller got a timeout, but receives messages later even so.
TEST_F(OddSubscriptions, one_that_passes_on_the_first_connection_is_asked_for_again) {
  RedisScript server([](Peer& peer) {
    if (peer.number() == 1) {
      (void)peer.hear();  // HELLO
      std::this_thread::sleep_for(500ms);
      return;
    }
    peer.greet();
    agree_by_the_third_time(peer);
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis.within(200ms));
    auto beginning = news.subscribe("a");
    EXPECT_EQ((co_await failure_of(beginning)).fault(), RedisFault::expired);
    EXPECT_GE(co_await gaps_ahead_of(&news, "a"), 0);
  }(Redis(server.url())));
}

TEST_F(OddSubscriptions, one_that_is_not_answered_behind_a_lost_connection_is_asked_for_again) {
  std::atomic<bool> is_over = false;
  std::atomic<bool> was_kept = false;
  RedisScript server([&](Peer& peer) {
    peer.greet();
    if (peer.number() == 1) {
      return agree_to(peer, 3);
    }
    if (peer.number() == 2) {
      agree_to(peer, 1);
      for (int i = 0; i < 400 && !is_over; ++i) {  // sends something, so that it is not silent
        peer.say(message_on("a"));
        std::this_thread::sleep_for(10ms);
      }
      was_kept = !is_over;
      return;
    }
    is_over = true;
    agree_to(peer, 2);
    peer.say(message_on("b"));
    (void)peer.hear();
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    co_await news.subscribe("b");
    EXPECT_TRUE((co_await news.receive()).is_gap);
    EXPECT_GT(co_await gaps_ahead_of(&news, "b"), 0);
  }(Redis(server.url(), {.command_time_max = 100ms})));
  EXPECT_FALSE(was_kept);
}

TEST_F(OddSubscriptions, one_that_finds_no_room_behind_a_lost_connection_is_asked_for_again) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    if (peer.number() == 1) {
      return agree_to(peer, 3);
    }
    for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
      peer.say(agreed(asked));
      if (asked == "subscribe b") {
        peer.say(message_on("b"));
      }
    }
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    co_await news.subscribe("b");
    EXPECT_TRUE((co_await news.receive()).is_gap);
    Scope scope;
    for (int i = 0; i < 4; ++i) {
      scope.start([](RedisSubscriber* of) -> Task<> {
        auto asking = of->unsubscribe("of others");
        EXPECT_EQ((co_await failure_of(asking)).fault(), RedisFault::expired);
      }(&news));
    }
    EXPECT_GE(co_await gaps_ahead_of(&news, "b"), 0);
    co_await scope.join();
  }(Redis(server.url(), {.command_time_max = 200ms, .commands_max = 4})));
}

TEST_F(OddSubscriptions, one_that_failed_as_busy_is_not_asked_for_behind_a_lost_connection) {
  std::atomic<bool> is_asked_for = false;
  RedisScript server([&is_asked_for](Peer& peer) {
    peer.greet();
    for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
      const bool is_busy = asked == "subscribe a";
      peer.say(is_busy ? "-BUSY Redis is busy running a script.\r\n" : agreed(asked));
      is_asked_for = is_asked_for || (is_busy && peer.number() == 2);
      if (asked == "subscribe b") {
        if (peer.number() == 1) {
          return;
        }
        peer.say(message_on("b"));
      }
    }
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    auto subscribing = news.subscribe("a");
    EXPECT_EQ((co_await failure_of(subscribing)).fault(), RedisFault::busy);
    co_await news.subscribe("b");
    EXPECT_GT(co_await gaps_ahead_of(&news, "b"), 0);
  }(Redis(server.url())));
  EXPECT_FALSE(is_asked_for);
}

TEST_F(OddSubscriptions, an_end_that_nobody_asked_for_is_told_once_and_answers_nothing) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
      if (asked == "subscribe a") {
        peer.say(agreed("sunsubscribe moved") + agreed("sunsubscribe unknown"));
        peer.say("-NOPERM not you\r\n");
      } else if (asked == "sunsubscribe b") {
        peer.say(agreed(asked) + agreed(asked));  // it has just moved
      } else if (asked == "sunsubscribe refused") {
        peer.say("-NOPERM not you\r\n");
      } else {
        peer.say(agreed(asked));
      }
      if (asked == "subscribe c") {
        peer.say(message_on("c"));
      }
    }
  });
  on_loop_.run([](Redis redis, RedisScript* of) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe_shard("moved");
    co_await news.subscribe_shard("b");
    auto subscribing = news.subscribe("a");
    EXPECT_EQ((co_await failure_of(subscribing)).code(), "NOPERM");
    auto receiving = news.receive();
    EXPECT_EQ((co_await failure_of(receiving)).fault(), RedisFault::refused);
    co_await news.unsubscribe_shard("b");
    auto ending = news.unsubscribe_shard("refused");
    EXPECT_EQ((co_await failure_of(ending)).code(), "NOPERM");
    co_await news.subscribe("c");
    EXPECT_EQ(co_await gaps_ahead_of(&news, "c"), 0);
    EXPECT_EQ(of->connections(), 1);
  }(Redis(server.url()), &server));
}

TEST_F(OddSubscriptions, an_end_that_was_asked_for_and_given_up_answers_its_own_question) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    agree_to(peer, 2);
    const std::string given_up = peer.hear();
    peer.say(agreed(given_up).substr(0, 5));  // only after the next command
    const std::string next = peer.hear();
    peer.say(agreed(given_up).substr(5) + "-NOPERM not you\r\n");
    (void)peer.hear();
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    co_await news.subscribe("a");
    EXPECT_FALSE(co_await with_deadline(news.unsubscribe("a"), 20ms));
    auto subscribing = news.subscribe("b");
    EXPECT_EQ((co_await failure_of(subscribing)).code(), "NOPERM");
  }(Redis(server.url())));
}

TEST_F(OddSubscriptions, channels_that_would_not_find_room_together_are_busy) {
  RedisScript server([](Peer& peer) {
    peer.greet();
    for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
      peer.say(agreed(asked));
    }
  });
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSubscriber news(redis);
    for (const char digit : {'1', '2', '1'}) {
      const std::string name(150, digit);
      co_await news.subscribe(name);
      auto more = news.subscribe(std::string(300, 'm'));
      EXPECT_EQ((co_await failure_of(more)).fault(), RedisFault::busy);
      co_await news.unsubscribe(name);
    }
  }(Redis(server.url(), {.waiting_bytes_max = 1000})));
}

}  // namespace
}  // namespace eider
