#include <malloc.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/own_network.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

class FailingServer : public PostgresTest {
 protected:
  static PostgresServer& server() { return PostgresServer::shared(); }
  void TearDown() override { server().signal_all(SIGCONT); }

  static constexpr Duration kWaitMax = 1s;
  static constexpr Duration kStatementMax = 400ms;
  /// And half a second for the server to say that it has ended it.
  static constexpr Duration kLongest = kWaitMax + kStatementMax + 500ms;

  /// Load while `harm` is done to the server from another thread.
  template <class Harm>
  Tally write_while(Harm harm, const std::string& where = server().where()) {
    script(open(), "drop table if exists numbers; create table numbers(n int)");
    Tally tally;
    const Database base = open_postgres(where, {.connect_time_max = 500ms,
                                                .wait_time_max = kWaitMax,
                                                .limits = {.statement_time_max = kStatementMax}});
    std::thread beside([&] {
      std::this_thread::sleep_for(200ms);
      harm();
    });
    on_loop_.run(write_side_by_side(base, 3s, &tally));
    beside.join();
    EXPECT_TRUE(on_loop_.run(heals(base)));
    return tally;
  }

  /// Nothing acknowledged is lost, nothing is there twice, and nothing hung.
  void check(const Tally& tally) {
    const Database base = open();
    std::string list = "{-1";
    for (const int number : tally.kept) {
      list += "," + std::to_string(number);
    }
    list += "}";
    const auto kept = on_loop_.run([](Database on, std::string all) -> Task<std::int64_t> {
      co_return *co_await on.one<std::int64_t>(
          "select count(*) from numbers where n = any($1::int[])", all);
    }(base, list));
    const std::int64_t there = number(base, "select count(*) from numbers");
    EXPECT_EQ(number(base, "select count(*) - count(distinct n) from numbers"), 0);
    EXPECT_EQ(kept, tally.done);
    EXPECT_LE(there, tally.done + tally.unknown);
    EXPECT_EQ(tally.asked, tally.done + tally.undone + tally.unknown);
    EXPECT_LT(tally.longest, kLongest + 1s);  // which is for a machine that is busy
    EXPECT_GT(tally.done, 0);
    std::printf("asked %d, done %d, undone %d, unknown %d (of them there: %d), longest %d ms\n",
                tally.asked, tally.done, tally.undone, tally.unknown,
                static_cast<int>(there) - tally.done,
                static_cast<int>(
                    std::chrono::duration_cast<std::chrono::milliseconds>(tally.longest).count()));
  }
};

TEST_F(FailingServer, that_is_killed_and_started_again_loses_and_doubles_nothing) {
  check(write_while([] {
    server().kill();
    std::this_thread::sleep_for(500ms);
    server().start();
  }));
}

TEST_F(FailingServer, that_is_stopped_by_its_administrator_and_started_again_does_neither) {
  check(write_while([] {
    server().stop();
    server().start();
  }));
}

TEST_F(FailingServer, that_stands_still_for_a_while_does_neither) {
  const Tally tally = write_while([] {
    server().signal_all(SIGSTOP);
    std::this_thread::sleep_for(1500ms);
    server().signal_all(SIGCONT);
  });
  EXPECT_GT(tally.undone + tally.unknown, 0);
  check(tally);
}

TEST_F(FailingServer, that_is_cut_off_without_a_word_does_neither) {
  const auto restart = [] {  // in the network of this thread
    server().stop();
    server().start();
  };
  {
    OwnNetwork network;
    if (!network.why_not().empty()) {
      GTEST_SKIP() << network.why_not();
    }
    restart();
    const Tally tally = write_while(
        [&network] {
          network.cut();
          std::this_thread::sleep_for(1500ms);
          network.mend();
        },
        server().url());
    EXPECT_GT(tally.unknown, 0);
    check(tally);
  }
  restart();
}

TEST_F(FailingServer, whose_connections_are_ended_by_somebody_else_does_neither) {
  check(write_while([] {
    TestLoop other;
    other.run([](Database on) -> Task<> {
      for (int i = 0; i < 50; ++i) {
        (void)co_await on.all<std::optional<int>>(
            "select pg_terminate_backend(pid)::int from pg_stat_activity where pid <> "
            "pg_backend_pid() and backend_type = 'client backend'");
        co_await sleep_for(10ms);
      }
    }(open()));
  }));
}

TEST_F(FailingServer, a_statement_whose_time_is_over_is_cancelled_at_the_server) {
  // Without prepared statements the server is told no time: it is the request that cancels.
  for (const std::size_t statements : {256UL, 0UL}) {
    const Database base = open({.connections_max = 1,
                                .statements_max = statements,
                                .limits = {.statement_time_max = 200ms}});
    on_loop_.run([](Database on) -> Task<> {
      auto slow = on.exec("select pg_sleep(30)");
      EXPECT_EQ((co_await failure_of(slow)).kind(), FailureKind::expired);
      // The same connection goes on.
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }(base));
    EXPECT_EQ(number(base,
                     "select count(*) from pg_stat_activity where state = 'active' and query "
                     "like '%pg_sleep(30)'"),
              0);
  }
}

TEST_F(FailingServer, what_a_client_that_left_had_asked_is_cancelled_at_the_server) {
  const Database base = open({.connections_max = 2, .statements_max = 0});
  on_loop_.run([](Database on) -> Task<> {
    auto ask = [](Database within) -> Task<> { co_await within.exec("select pg_sleep(31)"); };
    for (int i = 0; i < 6; ++i) {
      Task<> leaving = ask(on);
      leaving.start();
      co_await sleep_for(20ms);
    }
    // Both connections were in use: this comes to its turn only when one is free again.
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(base));
  const Database other = open();
  for (int i = 0; i < 500; ++i) {
    if (number(other,
               "select count(*) from pg_stat_activity where state = 'active' and query like "
               "'%pg_sleep(31)'") == 0) {
      return;
    }
    std::this_thread::sleep_for(10ms);
  }
  FAIL() << "the server runs what nobody waits for";
}

TEST_F(FailingServer, a_request_to_cancel_that_may_still_come_is_met_by_nobody) {
  on_loop_.run([](Database on) -> Task<> {
    const auto process = *co_await on.one<int>("select pg_backend_pid()");
    server().signal_first(SIGSTOP);
    auto slow = on.exec("select pg_sleep(0.4)");
    (void)co_await failure_of(slow);
    co_await sleep_for(5500ms);  // the request is waited for, and given up
    server().signal_first(SIGCONT);
    EXPECT_NE(co_await on.one<int>("select pg_backend_pid()"), process);
  }(open({.connections_max = 1, .statements_max = 0, .limits = {.statement_time_max = 200ms}})));
}

TEST_F(FailingServer, that_went_between_two_statements_of_a_transaction_is_told) {
  on_loop_.run([](Database on, Database other) -> Task<> {
    Transaction transaction = co_await on.begin();
    const auto process = *co_await transaction.one<int>("select pg_backend_pid()");
    co_await other.exec("select pg_terminate_backend($1)", process);
    co_await sleep_for(50ms);
    auto next = transaction.exec("select 1");
    EXPECT_EQ((co_await failure_of(next)).kind(), FailureKind::lost);
    auto commit = transaction.commit();
    EXPECT_EQ((co_await failure_of(commit)).kind(), FailureKind::lost);
    // And outside of it all goes on.
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1}), open()));
}

TEST_F(FailingServer, the_first_statement_behind_a_restart_finds_a_new_connection) {
  const Database base = open();
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    server().stop();
    server().start();
    co_await sleep_for(1ms);  // a turn, in which the end of the old one is heard of
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  }(base));
}

TEST_F(FailingServer, more_than_may_wait_is_refused_at_once) {
  const Database base = open({.connections_max = 1, .limits = {.queue_max = 10}});
  const int busy = on_loop_.run([](Database on) -> Task<int> {
    int refused = 0;
    auto ask = [](Database within, int* count) -> Task<> {
      auto pending = within.exec("select 1");
      *count += (co_await failure_of(pending)).kind() == FailureKind::busy ? 1 : 0;
    };
    Scope all;
    for (int i = 0; i < 30; ++i) {
      all.start(ask(on, &refused));
    }
    co_await all.join();
    co_return refused;
  }(base));
  EXPECT_GE(busy, 19);
  EXPECT_LE(busy, 20);
}

TEST_F(FailingServer, those_that_have_left_take_nobody_the_place_in_the_queue) {
  const Database base = open({.connections_max = 1, .limits = {.queue_max = 10}});
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    auto ask = [](Database within) -> Task<> { co_await within.exec("select pg_sleep(0.05)"); };
    std::vector<Task<>> leaving;
    for (int i = 0; i < 11; ++i) {  // one runs, the others fill the queue
      leaving.push_back(ask(on));
      leaving.back().start();
    }
    leaving.clear();
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(base));
}

TEST_F(FailingServer, a_statement_that_was_only_being_prepared_is_done_by_another_connection) {
  script(open(), "drop table if exists locked; create table locked(n int)");
  on_loop_.run([](Database on, Database other) -> Task<> {
    // Both connections are made, and then one of them waits for the lock to read the columns.
    auto sleep = [](Database within) -> Task<> { co_await within.exec("select pg_sleep(0.05)"); };
    Scope both;
    both.start(sleep(on));
    both.start(sleep(on));
    co_await both.join();
    Transaction lock = co_await other.begin();
    co_await lock.exec("lock table locked");
    std::int64_t rows = -1;
    auto read = [](Database within, std::int64_t* into) -> Task<> {
      *into = *co_await within.one<std::int64_t>("select count(*) from locked");
    };
    Scope reading;
    reading.start(read(on, &rows));
    const db::RuntimeSql end{
        "select pg_terminate_backend(pid)::int from pg_stat_activity where wait_event_type = "
        "'Lock'"};
    while ((co_await lock.all<int>(end)).empty()) {
      co_await sleep_for(5ms);
      // Within a transaction the server shows the activity as it was at first.
      co_await lock.exec("select pg_stat_clear_snapshot()");
    }
    co_await lock.roll_back();
    co_await reading.join();
    EXPECT_EQ(rows, 0);
  }(open({.connections_max = 2}), open()));
}

TEST_F(FailingServer, what_waits_behind_a_last_answer_is_done_by_another_connection) {
  script(open(), "drop table if exists numbers; create table numbers(n int)");
  on_loop_.run([](Database on) -> Task<> {
    const auto process = *co_await on.one<int>("select pg_backend_pid()");
    auto write = [](Database within, int number) -> Task<> {
      co_await within.exec("insert into numbers values($1)", number);
    };
    for (int i = 0; i < 3; ++i) {  // prepared by then, so that there is one round
      Scope both;
      both.start(write(on, 1));
      both.start(write(on, 2));
      if (i == 2) {  // the loop stands still while the answer and the connection's end come
        co_await yield_now();  // until the first has been sent
        std::thread([process] {
          TestLoop other;
          other.run([](Database beside, int ended) -> Task<> {
            while (*co_await beside.one<std::int64_t>("select count(*) from numbers") < 5) {
              co_await sleep_for(1ms);
            }
            co_await beside.exec("select pg_terminate_backend($1, 5000)", ended);
          }(open(), process));
        }).join();
      }
      co_await both.join();
    }
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from numbers"), 6);
    EXPECT_NE(co_await on.one<int>("select pg_backend_pid()"), process);
  }(open({.connections_max = 1})));
}

TEST_F(FailingServer, a_restart_within_one_turn_is_noticed_ahead_of_sending) {
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    server().stop();
    server().start();
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  }(open()));
}

TEST_F(FailingServer, notices_and_notifications_in_the_middle_are_passed_over) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.exec("do 'begin listen something; end'");
    for (int i = 0; i < 3; ++i) {
      co_await on.exec("do 'begin raise notice ''a notice''; end'");
      co_await on.exec("notify something, 'payload'");
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }
  }(open({.connections_max = 1})));
}

TEST_F(FailingServer, a_loop_may_end_with_statements_on_their_way) {
  for (const Duration after : {0ms, 1ms, 3ms, 20ms}) {
    const Database base = open();
    auto ask = [](Database on) -> Task<> { co_await on.exec("select pg_sleep(0.2)"); };
    std::vector<Task<>> asking;
    {
      TestLoop short_lived;
      for (int i = 0; i < 8; ++i) {
        asking.push_back(ask(base));
      }
      short_lived.run([](std::vector<Task<>>* all, Duration length) -> Task<> {
        for (Task<>& one : *all) {
          one.start();
        }
        co_await sleep_for(length);
      }(&asking, after));
    }
  }
}

TEST_F(FailingServer, several_loops_use_one_database) {
  const Database base = open();
  script(base, "drop table if exists numbers; create table numbers(n int)");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([base, i] {
      TestLoop loop;
      loop.run([](Database on, int first) -> Task<> {
        for (int k = 0; k < 50; ++k) {
          co_await on.exec("insert into numbers values($1)", first + k * 4);
        }
      }(base, i));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(number(base, "select count(distinct n) from numbers"), 200);
}

TEST_F(FailingServer, a_hundred_thousand_statements_leave_the_memory_as_it_was) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the sanitizer keeps what was freed";
#endif
#endif
  auto ask = [](Database on, int count) -> Task<> {
    for (int i = 0; i < count; ++i) {
      const auto row = co_await on.one<std::string>("select repeat('x', $1::int)", i % 1000);
      EXPECT_EQ(row->size(), static_cast<std::size_t>(i % 1000));
    }
  };
  auto ask_all = [ask](Database on, int each) -> Task<> {
    Scope all;
    for (int i = 0; i < 10; ++i) {
      all.start(ask(on, each));
    }
    co_await all.join();
  };
  const Database base = open();
  on_loop_.run(ask_all(base, 1000));
  const std::size_t before = ::mallinfo2().uordblks;
  on_loop_.run(ask_all(base, 10'000));
  const std::size_t after = ::mallinfo2().uordblks;
  EXPECT_LT(after, before + 256 * 1024);
}

}  // namespace
}  // namespace eider
