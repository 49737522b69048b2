#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/own_network.h"
#include "tests/support/redis_load.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

class FailingRedis : public ::testing::Test {
 protected:
  static constexpr Duration kCommandMax = 400ms;

  /// Runs commands while `harm` affects the server from another thread.
  template <class Harm>
  RedisTally write_while(const std::string& url, Harm harm) {
    RedisTally tally;
    const Redis redis(url, {.command_time_max = kCommandMax, .connect_time_max = 300ms});
    std::thread beside([&] {
      std::this_thread::sleep_for(200ms);
      harm();
    });
    on_loop_.run(write_side_by_side(redis, 2500ms, &tally));
    beside.join();
    EXPECT_EQ(on_loop_.run([](Redis of) -> Task<std::string> {
      co_return co_await of.within(1min).command<std::string>("PING");
    }(redis)),
              "PONG");  // it has recovered
    return tally;
  }

  /// No acknowledged write is lost or duplicated, no command hangs, and the client continues.
  void check(const RedisTally& tally) {
    const RedisCount count = count_numbers(on_loop_, Redis(server_.unix_url()), tally);
    EXPECT_EQ(count.missing, 0);
    EXPECT_EQ(count.doubled, 0);
    EXPECT_LE(count.there, tally.done + tally.unknown());
    EXPECT_LT(tally.longest, kCommandMax + 1s);  // the second is for a busy machine
    EXPECT_GT(tally.done, 100);
  }

  RedisServer server_;
  TestLoop on_loop_;
};

TEST_F(FailingRedis, that_is_killed_and_started_again_loses_and_doubles_nothing) {
  const RedisTally tally = write_while(server_.url(), [this] {
    server_.kill();
    std::this_thread::sleep_for(600ms);
    server_.start();
  });
  check(tally);
  EXPECT_GT(tally.undone + tally.unknown(), 0);
}

TEST_F(FailingRedis, that_is_stopped_by_its_administrator_again_and_again_does_neither) {
  check(write_while(server_.unix_url(), [this] {
    for (int i = 0; i < 3; ++i) {
      server_.stop();
      server_.start();
      std::this_thread::sleep_for(200ms);
    }
  }));
}

TEST_F(FailingRedis, that_stands_still_is_left_for_a_new_connection) {
  const RedisTally tally = write_while(server_.url(), [this] {
    server_.signal(SIGSTOP);
    std::this_thread::sleep_for(1500ms);
    server_.signal(SIGCONT);
  });
  check(tally);
  EXPECT_GT(tally.undone + tally.unknown(), 0);
}

TEST_F(FailingRedis, that_is_cut_off_without_a_word_loses_and_doubles_nothing) {
  OwnNetwork network;
  if (!network.why_not().empty()) {
    GTEST_SKIP() << network.why_not();
  }
  server_.stop();
  server_.start();  // with the network namespace of this thread
  const RedisTally tally = write_while(server_.url(), [&network] {
    network.cut();
    std::this_thread::sleep_for(1500ms);
    network.mend();
  });
  check(tally);
  EXPECT_GT(tally.unknown(), 0);
}

TEST_F(FailingRedis, what_was_not_sent_is_done_once_there_is_a_server_again) {
  server_.kill();
  std::thread beside([this] {
    std::this_thread::sleep_for(300ms);
    server_.start();
  });
  const auto answers = on_loop_.run([](Redis redis) -> Task<std::vector<int>> {
    auto first = redis.command<int>("INCR", "n");
    auto second = redis.command<int>("INCR", "n");
    std::vector<int> both;
    both.push_back(co_await first);
    both.push_back(co_await second);
    co_return both;
  }(Redis(server_.url(), {.command_time_max = 5s})));
  beside.join();
  EXPECT_EQ(answers, (std::vector<int>{1, 2}));
}

TEST_F(FailingRedis, calls_that_gave_up_while_it_was_away_leave_nothing_behind) {
  server_.kill();
  on_loop_.run([](Redis redis, RedisServer* server) -> Task<> {
    auto kept = redis.within(5s).command<int>("INCR", "n");
    for (int i = 0; i < 1000; ++i) {
      auto given_up = redis.command<int>("INCR", "n");
    }
    auto last = redis.within(5s).command<int>("INCR", "n");
    server->start();
    EXPECT_EQ(co_await kept, 1);
    EXPECT_EQ(co_await last, 2);
  }(Redis(server_.url(), {.commands_max = 100}), &server_));
}

}  // namespace
}  // namespace eider
