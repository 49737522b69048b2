#include "eider/data/db/postgres/postgres_subscriber.h"

#include <chrono>
#include <csignal>
#include <string>
#include <vector>

#include "eider/data/db/loop_pool.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

/// Returns the number of listening backends, according to the server.
Task<std::int64_t> listening(Database on) {
  co_return *co_await on.one<std::int64_t>(
      "select count(*) from pg_stat_activity where query like 'listen %' or query like 'unlisten "
      "%'");
}

/// Ends all of these backends, and returns their number.
Task<std::int64_t> end_listening(Database on) {
  co_return *co_await on.one<std::int64_t>(
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where query like 'listen %'");
}

class PostgresSubscribers : public PostgresTest {
 protected:
  static PostgresServer& server() { return PostgresServer::shared(); }
  void TearDown() override { server().signal_all(SIGCONT); }
};

TEST_F(PostgresSubscribers, hear_channels_by_their_exact_names_in_the_order_of_commits) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    const std::vector<std::string> names = {"news", "News", "a \"b\"; drop", "'", "ä", "select"};
    for (const std::string& name : names) {
      co_await news.subscribe(name);
    }
    const std::string largest(7999, 'x');
    for (const std::string& name : names) {
      co_await notify(on, name, name + "'s");
    }
    co_await notify(on, "news", largest);
    co_await notify(on, "news");
    co_await notify(on, "unheard", "1");
    co_await on.exec("notify news, 'last'");
    for (const std::string& name : names) {
      const PostgresMessage message = co_await news.receive();
      EXPECT_EQ(message.channel, name);
      EXPECT_EQ(message.payload, name + "'s");
      EXPECT_FALSE(message.is_gap);
    }
    EXPECT_EQ((co_await news.receive()).payload, largest);
    EXPECT_EQ((co_await news.receive()).payload, "");
    EXPECT_EQ((co_await news.receive()).payload, "last");
  }(open()));
}

TEST_F(PostgresSubscribers, hear_of_a_transaction_when_it_commits_and_never_of_one_taken_back) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("news");
    {
      Transaction taken_back = co_await on.begin();
      co_await notify(taken_back, "news", "never");
      co_await taken_back.roll_back();
    }
    {
      Transaction left = co_await on.begin();
      co_await notify(left, "news", "left");
    }
    Transaction first = co_await on.begin();
    co_await notify(first, "news", "first begun");
    co_await notify(first, "news", "first begun");
    co_await notify(on, "news", "committed first");
    co_await first.commit();
    EXPECT_EQ((co_await news.receive()).payload, "committed first");
    EXPECT_EQ((co_await news.receive()).payload, "first begun");
    co_await notify(on, "news", "end");
    EXPECT_EQ((co_await news.receive()).payload, "end");
  }(open()));
}

TEST_F(PostgresSubscribers, of_one_loop_share_a_connection_which_is_told_when_the_last_one_goes) {
  on_loop_.run([](Database on, Database other) -> Task<> {
    for (int i = 0; i < 400 && co_await listening(other) != 0; ++i) {
      co_await sleep_for(5ms);  // the server may still run the previous statement
    }
    const std::int64_t before = co_await listening(other);
    {
      std::vector<std::unique_ptr<PostgresSubscriber>> all;
      for (int i = 0; i < 50; ++i) {
        all.push_back(std::make_unique<PostgresSubscriber>(on));
        co_await all.back()->subscribe("shared");
        co_await all.back()->subscribe("own " + std::to_string(i));
      }
      EXPECT_EQ(co_await listening(other), before + 1);
      co_await notify(other, "shared", "1");
      for (auto& one : all) {
        EXPECT_EQ((co_await one->receive()).payload, "1");
      }
      while (all.size() > 1) {
        all.pop_back();
      }
      co_await notify(other, "shared", "2");
      EXPECT_EQ((co_await all.front()->receive()).payload, "2");
      // "2" may arrive between the statements that the 49 others wait for.
      while (co_await on.one<std::string>("select query from pg_stat_activity where query like "
                                          "'unlisten %' order by query_start desc limit 1") !=
             "unlisten \"own 1\"") {
        co_await sleep_for(5ms);
      }
      co_await all.front()->unsubscribe("shared");
      co_await all.front()->subscribe("shared");
      co_await notify(other, "shared", "3");
      EXPECT_EQ((co_await all.front()->receive()).payload, "3");
    }
    while (*co_await other.one<std::int64_t>("select count(*) from pg_stat_activity where query = "
                                             "'unlisten \"shared\"' or query = 'unlisten \"own "
                                             "0\"'") == 0) {
      co_await sleep_for(5ms);
    }
    // An idle connection is closed, and a new one is opened when needed.
    while (co_await listening(other) != before) {
      co_await sleep_for(10ms);
    }
    PostgresSubscriber late(on);
    co_await late.subscribe("late");
    co_await notify(other, "late", "4");
    EXPECT_EQ((co_await late.receive()).payload, "4");
  }(open({.idle_time_max = 100ms}), open()));
}

TEST_F(PostgresSubscribers, lose_nothing_when_they_stop_receiving) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    EXPECT_FALSE((co_await with_deadline(news.receive(), 10ms)).has_value());
    Scope leaving;
    auto receive_one = [](PostgresSubscriber* from) -> Task<> { (void)co_await from->receive(); };
    leaving.start(receive_one(&news));
    leaving.cancel();
    co_await notify(on, "a", "1");
    EXPECT_EQ((co_await news.receive()).payload, "1");
  }(open()));
}

TEST_F(PostgresSubscribers, that_are_slow_are_told_what_they_had_no_room_for_and_slow_nobody) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber slow(on, {.messages_max = 3, .bytes_max = 100});
    PostgresSubscriber quick(on);
    co_await slow.subscribe("a");
    co_await quick.subscribe("a");
    for (int i = 0; i < 8; ++i) {
      co_await notify(on, "a", std::to_string(i));
    }
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ((co_await quick.receive()).payload, std::to_string(i));
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ((co_await slow.receive()).payload, std::to_string(i));
    }
    const PostgresMessage gap = co_await slow.receive();
    EXPECT_TRUE(gap.is_gap);
    EXPECT_EQ(gap.missed, 5U);
    co_await notify(on, "a", std::string(100, 'x'));  // the channel's name counts, too
    co_await notify(on, "a", "after");
    EXPECT_EQ((co_await slow.receive()).missed, 1U);
    EXPECT_EQ((co_await slow.receive()).payload, "after");
  }(open()));
}

/// Publishes until a subscriber receives it.
Task<> publish_until_heard(Database on, std::string channel, PostgresSubscriber* by, int* gaps) {
  Scope publishing;
  auto publish = [](Database from, std::string to) -> Task<> {
    while (true) {
      try {
        co_await notify(from, to, "?");
      } catch (const db::Failure&) {
      }
      co_await sleep_for(5ms);
    }
  };
  publishing.start(publish(on, channel));
  for (PostgresMessage message; message.payload != "?"; message = co_await by->receive()) {
    *gaps += message.is_gap ? 1 : 0;
    EXPECT_EQ(message.missed, 0U);
  }
}

TEST_F(PostgresSubscribers, whose_connection_is_ended_listen_again_and_tell_the_gap) {
  on_loop_.run([](Database on, Database other) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    co_await news.subscribe("b");
    co_await notify(on, "a", "before");
    // A server that was requested to close its connection may not have sent the end yet.
    EXPECT_EQ((co_await news.receive()).payload, "before");
    EXPECT_GE(co_await end_listening(other), 1);
    EXPECT_TRUE((co_await news.receive()).is_gap);
    EXPECT_TRUE((co_await news.receive()).is_gap);  // after it, nothing is missed
    co_await notify(on, "b", "b behind");
    co_await notify(on, "a", "a behind");
    EXPECT_EQ((co_await news.receive()).payload, "b behind");
    EXPECT_EQ((co_await news.receive()).payload, "a behind");
  }(open(), open()));
}

TEST_F(PostgresSubscribers, outlive_a_restart_of_the_server) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    server().kill();
    EXPECT_TRUE((co_await news.receive()).is_gap);
    PostgresSubscriber other(on);
    auto late = other.subscribe("b");  // subscribed while there is no server
    server().start();
    co_await std::move(late);
    int gaps = 0;
    co_await publish_until_heard(on, "a", &news, &gaps);
    EXPECT_EQ(gaps, 1);
    co_await notify(on, "b", "heard");
    EXPECT_EQ((co_await other.receive()).payload, "heard");
  }(open()));
}

TEST_F(PostgresSubscribers, find_out_that_a_server_says_nothing_any_more) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    server().signal_all(SIGSTOP);
    EXPECT_TRUE((co_await news.receive()).is_gap);
    PostgresSubscriber late(on);
    Task<> asking = late.subscribe("late");
    EXPECT_EQ((co_await failure_of(asking)).kind(), FailureKind::lost);
    server().signal_all(SIGCONT);
    int gaps = 0;
    co_await publish_until_heard(on, "a", &news, &gaps);
    EXPECT_EQ(gaps, 1);
    // A subscription that timed out is still made later.
    co_await publish_until_heard(on, "late", &late, &gaps);
  }(open({.connect_time_max = 1s, .wait_time_max = 1500ms, .ping_after = 50ms})));
}

TEST_F(PostgresSubscribers, of_a_connection_that_is_only_silent_hear_of_no_gap) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    EXPECT_FALSE((co_await with_deadline(news.receive(), 1s)).has_value());
    co_await notify(on, "a", "1");
    EXPECT_EQ((co_await news.receive()).payload, "1");
  }(open({.ping_after = 150ms})));
}

TEST_F(PostgresSubscribers, are_told_what_is_no_channel_and_no_payload) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    for (const std::string& name :
         {std::string(), std::string(64, 'n'), std::string("a\0b", 3), std::string("\xff\xfe")}) {
      Task<> asking = news.subscribe(name);
      EXPECT_EQ((co_await failure_of(asking)).kind(), FailureKind::values);
    }
    EXPECT_THROW((void)notify(on, "", "x"), db::Failure);
    EXPECT_THROW((void)notify(on, std::string(64, 'n'), "x"), db::Failure);
    EXPECT_THROW((void)notify(on, "a", std::string(8000, 'x')), db::Failure);
    auto zero = notify(on, "a", std::string_view("a\0b", 3));
    EXPECT_EQ((co_await failure_of(zero)).kind(), FailureKind::values);
    // Nothing is left of these channels.
    co_await news.subscribe(std::string(63, 'n'));
    co_await notify(on, std::string(63, 'n'), "1");
    EXPECT_EQ((co_await news.receive()).payload, "1");
  }(open()));
  EXPECT_THROW(PostgresSubscriber(Database(std::make_shared<db::LoopPool>(nullptr))), db::Failure);
}

TEST_F(PostgresSubscribers, take_no_more_channels_than_a_connection_bears) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    Scope all;
    auto subscribe = [](PostgresSubscriber* to, int i) -> Task<> {
      co_await to->subscribe(std::to_string(i));
    };
    for (int i = 0; i < 1000; ++i) {
      all.start(subscribe(&news, i));
    }
    co_await all.join();
    Task<> asking = news.subscribe("one more");
    EXPECT_EQ((co_await failure_of(asking)).kind(), FailureKind::busy);
    co_await news.unsubscribe("0");
    co_await news.subscribe("one more");
  }(open()));
}

TEST_F(PostgresSubscribers, wait_for_each_other_where_they_ask_for_one_channel) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber first(on);
    PostgresSubscriber second(on);
    PostgresSubscriber left(on);
    Scope both;
    auto subscribe = [](PostgresSubscriber* to) -> Task<> { co_await to->subscribe("a"); };
    Task<> leaving = left.subscribe("a");
    leaving.start();
    both.start(subscribe(&first));
    both.start(subscribe(&second));
    leaving = Task<>();
    // Unsubscribed and subscribed again, before any response.
    co_await first.unsubscribe("a");
    co_await second.unsubscribe("a");
    co_await left.unsubscribe("a");
    co_await second.subscribe("a");
    co_await notify(on, "a", "1");
    EXPECT_EQ((co_await second.receive()).payload, "1");
    both.cancel();
  }(open()));
}

TEST_F(PostgresSubscribers, may_outlive_their_loop_and_their_database) {
  std::unique_ptr<PostgresSubscriber> left;
  Task<PostgresMessage> receiving;
  {
    TestLoop short_lived;
    short_lived.run([](std::unique_ptr<PostgresSubscriber>* into) -> Task<> {
      *into = std::make_unique<PostgresSubscriber>(open());
      co_await (*into)->subscribe("a");
    }(&left));
    short_lived.run([](PostgresSubscriber* from, Task<PostgresMessage>* into) -> Task<> {
      *into = from->receive();
      into->start();
      co_return;
    }(left.get(), &receiving));
  }
  receiving = Task<PostgresMessage>();
  left.reset();
  for (const Duration after : {0ms, 1ms, 3ms, 10ms}) {
    Task<> asking;
    TestLoop short_lived;
    short_lived.run(
        [](std::unique_ptr<PostgresSubscriber>* into, Task<>* started, Duration length) -> Task<> {
          *into = std::make_unique<PostgresSubscriber>(open());
          *started = (*into)->subscribe("a");
          started->start();
          co_await sleep_for(length);
          *started = Task<>();
        }(&left, &asking, after));
    left.reset();
  }
}

TEST_F(PostgresSubscribers, hear_over_tcp_behind_a_host_that_refuses) {
  on_loop_.run([](Database on) -> Task<> {
    PostgresSubscriber news(on);
    co_await news.subscribe("a");
    co_await notify(on, "a", "1");
    EXPECT_EQ((co_await news.receive()).payload, "1");
  }(open_postgres("postgres://tester@127.0.0.1:1,127.0.0.1:" + std::to_string(server().port()) +
                               "/postgres")));
}

}  // namespace
}  // namespace eider
