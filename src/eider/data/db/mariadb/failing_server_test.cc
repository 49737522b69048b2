#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/mariadb_tests.h"
#include "tests/support/own_network.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

class FailingMariadb : public MariadbTest {
 protected:
  static MariadbServer& server() { return MariadbServer::shared(); }
  void TearDown() override { server().signal(SIGCONT); }

  static constexpr Duration kWaitMax = 1s;
  static constexpr Duration kStatementMax = 400ms;
  /// And half a second for the server to say that it has ended it.
  static constexpr Duration kLongest = kWaitMax + kStatementMax + 500ms;

  /// Load while `harm` is done to the server from another thread.
  template <class Harm>
  Tally write_while(Harm harm, const std::string& where = server().where()) {
    script(open(), "drop table if exists numbers; create table numbers(n int)");
    Tally tally;
    const Database base = open_mariadb(where, {.connect_time_max = 500ms,
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
    const auto kept = on_loop_.run([](Database on, std::vector<int> all) -> Task<std::int64_t> {
      co_return *co_await on.one<std::int64_t>(
          "select count(*) from numbers where n in (select value from json_table($1, '$[*]' "
          "columns(value int path '$')) as kept)",
          all);
    }(base, tally.kept));
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

TEST_F(FailingMariadb, that_is_killed_and_started_again_loses_and_doubles_nothing) {
  check(write_while([] {
    server().kill();
    server().start();
  }));
}

TEST_F(FailingMariadb, that_is_stopped_by_its_administrator_and_started_again_does_neither) {
  check(write_while([] {
    server().stop();
    server().start();
  }));
}

TEST_F(FailingMariadb, that_stands_still_for_a_while_does_neither) {
  const Tally tally = write_while([] {
    server().signal(SIGSTOP);
    std::this_thread::sleep_for(1500ms);
    server().signal(SIGCONT);
  });
  EXPECT_GT(tally.undone + tally.unknown, 0);
  check(tally);
}

TEST_F(FailingMariadb, that_is_cut_off_without_a_word_does_neither) {
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

TEST_F(FailingMariadb, whose_connections_are_ended_by_somebody_else_does_neither) {
  check(write_while([] {
    TestLoop other;
    other.run([](Database on) -> Task<> {
      for (int i = 0; i < 50; ++i) {
        const auto ids = co_await on.all<std::int64_t>(
            "select id from information_schema.processlist where id <> connection_id() and user = "
            "'tester'");
        for (const std::int64_t id : ids) {
          auto killing = on.exec(db::RuntimeSql{"kill " + std::to_string(id)});
          (void)co_await failure_of(killing);
        }
        co_await sleep_for(10ms);
      }
    }(open()));
  }));
}

TEST_F(FailingMariadb, a_statement_whose_time_is_over_is_ended_at_the_server) {
  script(open(), "drop table if exists numbers; create table numbers(n int)");
  // With the time set to another one by the statement itself it is the kill that ends it, and on
  // MySQL what writes.
  const std::string slow =
      "select count(*) from seq_1_to_100000 a, seq_1_to_100000 b where a.seq + b.seq = 1";
  const std::string without_limit =
      is_mysql() ? "select /*+ max_execution_time(3600000) */" + slow.substr(6)
                 : "set statement max_statement_time = 0 for " + slow;
  for (const std::string& sql : {slow, without_limit, "insert into numbers " + slow}) {
    const Database base = open({.connections_max = 1, .limits = {.statement_time_max = 200ms}});
    on_loop_.run([](Database on, db::RuntimeSql text) -> Task<> {
      auto late = on.exec(text);
      const db::Failure failure = co_await failure_of(late);
      EXPECT_EQ(failure.kind(), FailureKind::expired) << failure.what();
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }(base, db::RuntimeSql{sql}));
    EXPECT_EQ(number(open(),
                     "select count(*) from information_schema.processlist where info like "
                     "'%seq_1_to_100000%' and id <> connection_id()"),
              0);
  }
}

TEST_F(FailingMariadb, what_a_client_that_left_had_asked_is_ended_at_the_server) {
  const Database base = open({.connections_max = 2});
  on_loop_.run([](Database on) -> Task<> {
    auto ask = [](Database within) -> Task<> { co_await within.exec("do sleep(29)"); };
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
               "select count(*) from information_schema.processlist where info like "
               "'do sleep(29)%'") == 0) {
      return;
    }
    std::this_thread::sleep_for(10ms);
  }
  FAIL() << "the server runs what nobody waits for";
}

TEST_F(FailingMariadb, a_kill_meets_nobody_else) {
  on_loop_.run([](Database on) -> Task<> {
    for (int i = 0; i < 100; ++i) {
      auto ask = [](Database within) -> Task<> { co_await within.exec("select 1"); };
      {
        Task<> leaving = ask(on);
        leaving.start();
        if (i % 2 == 0) {
          co_await sleep_for(std::chrono::microseconds(50 * i));
        }
      }
      EXPECT_EQ(co_await on.one<int>("select $1", i), i);
    }
  }(open({.connections_max = 1})));
}

TEST_F(FailingMariadb, that_went_between_two_statements_of_a_transaction_is_told) {
  on_loop_.run([](Database on, Database other) -> Task<> {
    Transaction transaction = co_await on.begin();
    const auto id = *co_await transaction.one<std::int64_t>("select connection_id()");
    const db::RuntimeSql kill{"kill " + std::to_string(id)};
    co_await other.exec(kill);
    co_await sleep_for(50ms);
    auto next = transaction.exec("select 1");
    EXPECT_EQ((co_await failure_of(next)).kind(), FailureKind::lost);
    auto commit = transaction.commit();
    EXPECT_EQ((co_await failure_of(commit)).kind(), FailureKind::lost);
    // And outside of it all goes on.
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1}), open()));
}

TEST_F(FailingMariadb, the_first_statement_behind_a_restart_finds_a_new_connection) {
  const Database base = open();
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    server().stop();
    server().start();
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  }(base));
}

TEST_F(FailingMariadb, the_last_word_of_a_connection_is_heard_ahead_of_the_next_statement) {
  on_loop_.run([](Database on) -> Task<> {
    const auto id = *co_await on.one<std::int64_t>("select connection_id()");
    // This loop stands still meanwhile, so that nobody has told it of what has come.
    std::thread([id] {
      TestLoop beside;
      beside.run([](Database other, std::int64_t killed) -> Task<> {
        const db::RuntimeSql kill{"kill " + std::to_string(killed)};
        co_await other.exec(kill);
        while (*co_await other.one<int>(
                   "select count(*) from information_schema.processlist where id = $1", killed) !=
               0) {
        }
      }(open(), id));
    }).join();
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1})));
}

TEST_F(FailingMariadb, more_than_may_wait_is_refused_at_once) {
  const Database base = open({.connections_max = 1, .limits = {.queue_max = 10}});
  const int busy = on_loop_.run([](Database on) -> Task<int> {
    int refused = 0;
    auto ask = [](Database within, int* count) -> Task<> {
      auto pending = within.exec("select 1");
      const db::Failure failure = co_await failure_of(pending);
      *count += failure.kind() == FailureKind::busy ? 1 : 0;
    };
    Scope all;
    {
      // It has the connection, whose server may answer faster than the next one can ask.
      const Transaction holding = co_await on.begin();
      for (int i = 0; i < 30; ++i) {
        all.start(ask(on, &refused));
      }
    }
    co_await all.join();
    co_return refused;
  }(base));
  EXPECT_EQ(busy, 20);
}

TEST_F(FailingMariadb, a_transaction_that_is_left_or_stays_open_is_rolled_back) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.script("drop table if exists numbers; create table numbers(n int)");
    {
      Transaction left = co_await on.begin();
      co_await left.exec("insert into numbers values(1)");
    }
    EXPECT_EQ(co_await on.one<int>("select count(*) from numbers"), 0);
    Transaction open = co_await on.begin();
    co_await open.exec("insert into numbers values(1)");
    EXPECT_EQ(co_await on.one<int>("select count(*) from numbers"), 0);
    auto late = open.commit();
    EXPECT_EQ((co_await failure_of(late)).kind(), FailureKind::expired);
  }(open({.connections_max = 1, .limits = {.transaction_time_max = 200ms}})));
}

}  // namespace
}  // namespace eider
