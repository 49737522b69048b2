#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using redis::word;

TEST_F(RedisTest, a_watched_key_that_changes_aborts_the_transaction) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSession session = redis.session();
    co_await session.watch("k");
    auto [first] = co_await session.transaction(word<int>("INCR", "k"));
    EXPECT_EQ(first, 1);
    co_await session.watch("k");
    co_await redis.command("SET", "k", 10);
    auto aborted = session.transaction(word<int>("INCR", "k"));
    const RedisFailure failure = co_await failure_of(aborted);
    EXPECT_EQ(failure.fault(), RedisFault::aborted);
    EXPECT_FALSE(failure.may_be_done());
    EXPECT_EQ(co_await redis.command<int>("GET", "k"), 10);
    auto [again] = co_await session.transaction(word<int>("INCR", "k"));
    EXPECT_EQ(again, 11);
  }(redis_));
}

TEST_F(RedisTest, a_watch_does_not_outlive_its_connection) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSession session = redis.session();
    const auto id = co_await session.command<std::int64_t>("CLIENT", "ID");
    co_await session.watch("k");
    auto admin = redis.session();
    co_await admin.command("CLIENT", "KILL", "ID", id);
    co_await sleep_for(20ms);
    auto aborted = session.transaction(word<int>("INCR", "k"));
    EXPECT_EQ((co_await failure_of(aborted)).fault(), RedisFault::aborted);
    EXPECT_FALSE(co_await redis.command<bool>("EXISTS", "k"));
    auto [done] = co_await session.transaction(word<int>("INCR", "k"));
    EXPECT_EQ(done, 1);
  }(redis_));
}

TEST_F(RedisTest, a_watch_that_was_lost_is_not_forgotten_by_another_one) {
  on_loop_.run([](Redis redis) -> Task<> {
    RedisSession session = redis.session();
    const auto id = co_await session.command<std::int64_t>("CLIENT", "ID");
    co_await session.watch("a");
    auto admin = redis.session();
    co_await admin.command("CLIENT", "KILL", "ID", id);
    co_await sleep_for(20ms);
    co_await session.watch("b");
    auto aborted = session.transaction(word("INCR", "a"));
    EXPECT_EQ((co_await failure_of(aborted)).fault(), RedisFault::aborted);
    EXPECT_FALSE(co_await redis.command<bool>("EXISTS", "a"));
  }(redis_));
}

/// Transactions of the session that fail before they are sent.
enum class Unsent : std::uint8_t { refused, given_up, busy };

Task<> fail_unsent(RedisSession* session, Unsent how) {
  if (how == Unsent::refused) {
    EXPECT_THROW((void)session->transaction(word("SUBSCRIBE", "a")), RedisFailure);
  } else if (how == Unsent::given_up) {
    auto given_up = session->transaction(word("INCR", "k"));
  } else {
    auto first = session->command("PING");
    auto second = session->command("PING");
    auto busy = session->transaction(word("INCR", "k"));
    EXPECT_EQ((co_await failure_of(busy)).fault(), RedisFault::busy);
    co_await first;
    co_await second;
  }
}

TEST_F(RedisTest, a_transaction_that_is_not_sent_leaves_the_keys_watched) {
  for (const Unsent how : {Unsent::refused, Unsent::given_up, Unsent::busy}) {
    ask("DEL", "k");
    on_loop_.run([](Redis redis, Redis admin, Unsent fails) -> Task<> {
      RedisSession session = redis.session();
      const auto id = co_await session.command<std::int64_t>("CLIENT", "ID");
      co_await session.watch("k");
      co_await fail_unsent(&session, fails);
      auto killing = admin.session();
      co_await killing.command("CLIENT", "KILL", "ID", id);
      auto lost = session.command("PING");  // before the end of the connection is received
      (void)co_await failure_of(lost);
      co_await session.command("PING");
      auto aborted = session.transaction(word<int>("INCR", "k"));
      EXPECT_EQ((co_await failure_of(aborted)).fault(), RedisFault::aborted);
      EXPECT_FALSE(co_await admin.command<bool>("EXISTS", "k"));
      auto [done] = co_await session.transaction(word<int>("INCR", "k"));
      EXPECT_EQ(done, 1);
    }(open({.commands_max = 2}), redis_, how));
  }
}

TEST_F(RedisTest, what_changes_a_shared_connection_is_refused) {
  on_loop_.run([](Redis redis) -> Task<> {
    for (const char* name : {"SELECT", "multi", "BLPOP", "Watch", "SUBSCRIBE", "client", "quit"}) {
      EXPECT_THROW((void)redis.command(name), RedisFailure) << name;
    }
    const std::vector<std::string> waiting{"block", "1", "STREAMS", "s", "$"};
    EXPECT_THROW((void)redis.command("XREAD", "block", 1, "STREAMS", "s", "$"), RedisFailure);
    EXPECT_THROW((void)redis.command("xread", waiting), RedisFailure);
    EXPECT_THROW((void)redis.pipeline(word("XREAD", waiting)), RedisFailure);
    EXPECT_THROW((void)redis.transaction(word("BLPOP", "q", 1)), RedisFailure);
    co_await redis.command("XREAD", "STREAMS", "block", "0");
    co_await redis.command("XRANGE", "block", "-", "+");
    co_await redis.command("PING");
  }(redis_));
}

TEST_F(RedisTest, what_a_next_connection_would_not_have_is_refused_by_a_session_too) {
  on_loop_.run([](Redis redis) -> Task<> {
    auto session = redis.session();
    EXPECT_THROW((void)session.command("SUBSCRIBE", "a"), RedisFailure);
    EXPECT_THROW((void)session.command("SELECT", 1), RedisFailure);
    EXPECT_THROW((void)session.command("WATCH", "a"), RedisFailure);
    EXPECT_THROW((void)session.command("MULTI"), RedisFailure);
    EXPECT_THROW((void)session.pipeline(word("PING"), word("RESET")), RedisFailure);
    EXPECT_THROW((void)session.transaction(word("SUBSCRIBE", "a")), RedisFailure);
    EXPECT_THROW((void)session.command("CLIENT", "REPLY", "SKIP"), RedisFailure);
    EXPECT_EQ(co_await session.command<std::string>("PING"), "PONG");
  }(redis_));
}

TEST_F(RedisTest, a_session_may_wait_while_others_go_on) {
  on_loop_.run([](Redis redis) -> Task<> {
    using Popped = std::optional<std::array<std::string, 2>>;
    RedisSession session = redis.session();
    auto waiting = session.within(10s).command<Popped>("BLPOP", "q", 5);
    co_await redis.command("PING");
    co_await redis.command("RPUSH", "q", "job");
    EXPECT_EQ((co_await waiting).value()[1], "job");
    EXPECT_EQ(co_await session.command<Popped>("BLPOP", "q", 0.01), std::nullopt);
  }(redis_));
}

TEST_F(RedisTest, a_blocking_command_that_is_canceled_takes_no_element) {
  on_loop_.run([](Redis redis) -> Task<> {
    using Popped = std::optional<std::array<std::string, 2>>;
    RedisSession session = redis.session();
    const auto pop = [](RedisSession* from) -> Task<Popped> {
      auto popping = from->within(10s).command<Popped>("BLPOP", "q", 0);
      co_return co_await popping;
    };
    EXPECT_FALSE(co_await with_deadline(pop(&session), 50ms));
    co_await redis.command("RPUSH", "q", "job");
    const auto popped = co_await with_deadline(pop(&session), 5s);
    EXPECT_TRUE(popped && *popped && (**popped)[1] == "job");
    // The time limit of the command ends it, too, although the server has just responded.
    auto pong = session.command<std::string>("PING");
    auto late = session.within(50ms).command<Popped>("BLPOP", "q", 0);
    co_await sleep_for(10ms);
    EXPECT_EQ(co_await pong, "PONG");
    EXPECT_EQ((co_await failure_of(late)).fault(), RedisFault::expired);
    co_await redis.command("RPUSH", "q", "other");
    EXPECT_EQ(co_await session.command<std::string>("PING"), "PONG");
    EXPECT_EQ(co_await redis.command<std::int64_t>("LLEN", "q"), 1);
  }(redis_));
}

TEST_F(RedisTest, a_session_that_ends_leaves_nobody_waiting) {
  on_loop_.run([](Redis redis) -> Task<> {
    auto session = std::make_unique<RedisSession>(redis.session());
    co_await session->command("PING");
    Scope scope;
    std::vector<RedisFault> faults;
    for (int i = 0; i < 2; ++i) {
      scope.start([](RedisSession* of, std::vector<RedisFault>* told) -> Task<> {
        auto command = of->command("BLPOP", "q", 0);
        told->push_back((co_await failure_of(command)).fault());
      }(session.get(), &faults));
      co_await sleep_for(i == 0 ? 10ms : 0ms);  // one is sent, one is not
    }
    session.reset();
    co_await scope.join();
    EXPECT_EQ(faults, (std::vector{RedisFault::lost, RedisFault::lost}));
  }(redis_));
}

}  // namespace
}  // namespace eider
