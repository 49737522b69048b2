#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

/// A primary server and two replicas.
class PostgresReplicas : public ::testing::Test {
 protected:
  [[nodiscard]] Database open(PostgresOptions options = {}) {
    options.replicas = {first_.where(), second_.where()};
    return open_postgres(primary_.where(), options);
  }
  /// Returns the port of the server that responds.
  [[nodiscard]] static Task<int> port(Database on) {
    co_return (co_await on.one<int>("select current_setting('port')::int")).value_or(0);
  }
  /// Waits until `wanted` of `count` consecutive responses come from there.
  [[nodiscard]] static Task<bool> answers_come_from(Database on, int wanted, int count = 20) {
    int row = 0;
    for (int i = 0; i < 1000 && row < count; ++i) {
      row = co_await port(on) == wanted ? row + 1 : 0;
      co_await sleep_for(10ms);
    }
    co_return row == count;
  }
  /// Waits until a replica has responded: before, the primary does.
  [[nodiscard]] static Task<bool> is_known(Database on, int wanted) {
    for (int i = 0; i < 1000; ++i) {
      if (co_await port(on) == wanted) {
        co_return true;
      }
      co_await sleep_for(10ms);
    }
    co_return false;
  }

  PostgresServer primary_;
  PostgresServer first_{PostgresServer::ReplicaOf{primary_}};
  PostgresServer second_{PostgresServer::ReplicaOf{primary_}};
  TestLoop on_loop_;
};

TEST_F(PostgresReplicas, are_read_in_turns_and_only_where_they_are_asked) {
  on_loop_.run([](Database on, int primary, int first, int second) -> Task<> {
    EXPECT_TRUE(co_await is_known(on.replica(), first));
    EXPECT_TRUE(co_await is_known(on.replica(), second));
    int of_first = 0;
    for (int i = 0; i < 20; ++i) {
      of_first += co_await port(on.replica()) == first ? 1 : 0;
      EXPECT_EQ(co_await port(on), primary);
    }
    EXPECT_EQ(of_first, 10);
    co_await on.script("create table kept(n int)");
    std::optional<FailureKind> kind;
    try {
      co_await on.replica().exec("create table other(n int)");
    } catch (const db::Failure& failure) {
      kind = failure.kind();
    }
    EXPECT_EQ(kind, FailureKind::storage);
    auto rows = on.replica().stream<int>("select generate_series(1, 1000)");
    int count = 0;
    while (co_await rows.next()) {
      ++count;
    }
    EXPECT_EQ(count, 1000);
    Transaction reading = co_await on.replica().begin();
    EXPECT_NE(co_await reading.one<int>("select current_setting('port')::int"), primary);
  }(open(), primary_.port(), first_.port(), second_.port()));
}

/// Ends the connection of the first sleeping statement.
Task<> end_one_that_sleeps(Database of) {
  std::int64_t ended = 0;
  for (int i = 0; i < 1000 && ended == 0; ++i) {
    co_await sleep_for(5ms);
    ended = (co_await of.exec("select pg_terminate_backend(pid) from pg_stat_activity where "
                              "wait_event = 'PgSleep'"))
                .rows;
  }
  EXPECT_EQ(ended, 1);
}

TEST_F(PostgresReplicas, give_the_rows_of_a_batch_that_lost_its_connection_once) {
  const Database base = open_postgres(primary_.where(), {.replicas = {first_.where()}});
  on_loop_.run([](Database on, Database beside, int first) -> Task<> {
    EXPECT_TRUE(co_await is_known(on.replica(), first));
    Scope scope;
    scope.start(end_one_that_sleeps(beside));
    const auto [rows, slept] =
        co_await on.replica().batch(db::rows<int>("select generate_series(1, 20000)"),
                                    db::row<int>("select 1 from pg_sleep(1)"));
    EXPECT_EQ(rows.size(), 20'000U);
    EXPECT_EQ(slept, 1);
    co_await scope.join();
    std::vector<db::RowStatement<int>> asked;
    asked.push_back(db::row<int>("select 7"));
    asked.push_back(db::row<int>("select 1 from pg_sleep(1)"));
    scope.start(end_one_that_sleeps(beside));
    const std::vector<std::optional<int>> list = co_await on.replica().batch(std::move(asked));
    EXPECT_EQ(list.at(0), 7);
    co_await scope.join();
  }(base, open_postgres(first_.where()), first_.port()));
}

TEST_F(PostgresReplicas, that_are_killed_under_load_fail_nothing) {
  on_loop_.run(
      [](Database on, PostgresServer& first, PostgresServer& second, int primary) -> Task<> {
        EXPECT_TRUE(co_await is_known(on.replica(), first.port()));
        EXPECT_TRUE(co_await is_known(on.replica(), second.port()));
        int asked = 0;
        int answered = 0;
        int failed = 0;
        Scope scope;
        bool is_over = false;
        for (int i = 0; i < 16; ++i) {
          scope.start([](Database from, int& asks, int& answers, int& failures,
                         const bool& ends) -> Task<> {
            while (!ends) {
              ++asks;
              try {
                (void)co_await port(from.replica());
                ++answers;
              } catch (const db::Failure&) {
                ++failures;
              }
            }
          }(on, asked, answered, failed, is_over));
        }
        co_await sleep_for(300ms);
        first.kill();
        co_await sleep_for(300ms);
        second.kill();
        co_await sleep_for(300ms);
        is_over = true;
        co_await scope.join();
        std::printf("asked %d, answered %d, failed %d\n", asked, answered, failed);
        EXPECT_GT(answered, 100);
        EXPECT_EQ(failed, 0);
        EXPECT_EQ(co_await port(on.replica()), primary);
        first.start();
        EXPECT_TRUE(co_await is_known(on.replica(), first.port()));
      }(open(), first_, second_, primary_.port()));
}

TEST_F(PostgresReplicas, that_are_frozen_are_passed_over_and_their_statements_fail_by_name) {
  on_loop_.run([](Database on, PostgresServer& first, PostgresServer& second) -> Task<> {
    EXPECT_TRUE(co_await is_known(on.replica(), first.port()));
    EXPECT_TRUE(co_await is_known(on.replica(), second.port()));
    first.signal_all(SIGSTOP);
    int failed = 0;
    bool is_over = false;
    for (int i = 0; i < 10; ++i) {
      try {
        (void)co_await port(on.replica());
      } catch (const db::Failure& failure) {
        EXPECT_TRUE(failure.kind() == FailureKind::lost || failure.kind() == FailureKind::expired);
        ++failed;
      }
      is_over = i == 9;
      co_await sleep_for(300ms);
    }
    EXPECT_TRUE(is_over);
    EXPECT_LE(failed, 4);
    EXPECT_TRUE(co_await answers_come_from(on.replica(), second.port()));
    first.signal_all(SIGCONT);
    EXPECT_TRUE(co_await is_known(on.replica(), first.port()));
  }(open({.limits = {.statement_time_max = 1s}}), first_, second_));
}

TEST_F(PostgresReplicas, that_are_behind_are_passed_over_until_they_are_not) {
  const auto replay = [this](const char* sql) {
    on_loop_.run([](Database of, db::RuntimeSql text) -> Task<> {
      co_await of.exec(text);
    }(open_postgres(first_.where()), db::RuntimeSql{sql}));
  };
  const Database base = open({.replica_lag_max = 500ms});
  on_loop_.run([](Database on, int first, int second) -> Task<> {
    co_await on.script("create table kept(n int)");
    EXPECT_TRUE(co_await is_known(on.replica(), first));
    EXPECT_TRUE(co_await is_known(on.replica(), second));
  }(base, first_.port(), second_.port()));
  replay("select pg_wal_replay_pause()");
  on_loop_.run([](Database on, int second) -> Task<> {
    co_await on.exec("insert into kept values(1)");
    EXPECT_TRUE(co_await answers_come_from(on.replica(), second, 50));
  }(base, second_.port()));
  replay("select pg_wal_replay_resume()");
  on_loop_.run([](Database on, int first) -> Task<> {
    EXPECT_TRUE(co_await is_known(on.replica(), first));
  }(base, first_.port()));
}

TEST_F(PostgresReplicas, one_that_is_promoted_takes_the_place_of_its_primary) {
  const Database base = open_postgres(
      "host=" + primary_.directory() + "," + first_.directory() +
          " port=" + std::to_string(primary_.port()) + "," + std::to_string(first_.port()) +
          " user=tester dbname=postgres target_session_attrs=read-write",
      {.wait_time_max = 60s});
  on_loop_.run([](Database on, PostgresServer& primary, PostgresServer& first) -> Task<> {
    co_await on.script("create table kept(n int)");
    EXPECT_EQ(co_await port(on), primary.port());
    const Database next = open_postgres(first.where());
    for (int i = 0;
         i < 1000 && !(co_await next.one<bool>("select to_regclass('kept') is not null")).value();
         ++i) {
      co_await sleep_for(10ms);
    }
    primary.kill();
    EXPECT_EQ(co_await next.one<bool>("select pg_promote()"), true);
    int lost = 0;
    std::int64_t rows = 0;
    for (int i = 0; i < 1000 && rows == 0; ++i) {
      try {
        rows = (co_await on.exec("insert into kept values(7)")).rows;
      } catch (const db::Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::lost);
        ++lost;
      }
    }
    EXPECT_EQ(rows, 1);
    EXPECT_LE(lost, 1);
    EXPECT_EQ(co_await port(on), first.port());
  }(base, primary_, first_));
}

}  // namespace
}  // namespace eider
