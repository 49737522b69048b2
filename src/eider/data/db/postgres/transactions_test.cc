#include <chrono>
#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

class PostgresTransactions : public PostgresTest {
 protected:
  void SetUp() override { script(base_, "drop table if exists t; create table t(a int unique)"); }

  [[nodiscard]] std::int64_t rows() { return number(base_, "select count(*) from t"); }
  /// Databases with one connection each, so that the next statement sees an open transaction.
  [[nodiscard]] std::int64_t open_transactions() {
    return number(open({.connections_max = 1}),
                  "select count(*) from pg_stat_activity where state like 'idle in transaction%'");
  }

  const Database base_ = open({.connections_max = 1});
};

TEST_F(PostgresTransactions, a_commit_behind_a_statement_that_failed_says_that_nothing_was_kept) {
  on_loop_.run([](Database on) -> Task<> {
    Transaction broken = co_await on.begin();
    co_await broken.exec("insert into t values(1)");
    auto twice = broken.exec("insert into t values(1)");
    EXPECT_EQ((co_await failure_of(twice)).kind(), FailureKind::unique);
    auto next = broken.exec("insert into t values(2)");
    EXPECT_EQ((co_await failure_of(next)).kind(), FailureKind::statement);
    auto commit = broken.commit();
    EXPECT_EQ((co_await failure_of(commit)).kind(), FailureKind::statement);
  }(base_));
  EXPECT_EQ(rows(), 0);
}

TEST_F(PostgresTransactions, a_statement_that_begins_or_ends_one_by_itself_leaves_nothing_behind) {
  on_loop_.run([](Database on) -> Task<> {
    auto begin = on.exec("begin");
    EXPECT_EQ((co_await failure_of(begin)).kind(), FailureKind::statement);
    // Outside of the transaction, which was rolled back.
    co_await on.exec("insert into t values(1)");
    Transaction ended = co_await on.begin();
    co_await ended.exec("insert into t values(2)");
    co_await ended.exec("commit");
    auto late = ended.exec("insert into t values(3)");
    EXPECT_EQ((co_await failure_of(late)).kind(), FailureKind::statement);
  }(base_));
  EXPECT_EQ(rows(), 2);
  EXPECT_EQ(open_transactions(), 0);
}

TEST_F(PostgresTransactions, what_is_taken_back_is_not_told_as_done) {
  on_loop_.run([](Database on) -> Task<> {
    auto script = on.script("begin; insert into t values(1)");
    EXPECT_EQ((co_await failure_of(script)).kind(), FailureKind::statement);
    auto batch = on.batch(db::change("begin"), db::change("insert into t values(2)"));
    EXPECT_EQ((co_await failure_of(batch)).kind(), FailureKind::statement);
    const auto [begin, insert] =
        co_await on.all(db::change("begin"), db::change("insert into t values(3)"));
    EXPECT_EQ(begin.error().kind(), FailureKind::statement);
    EXPECT_EQ(insert.error().kind(), FailureKind::statement);
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from t"), 0);
    const auto [kept, late] =
        co_await on.all(db::change("insert into t values(9)"), db::change("begin"));
    EXPECT_TRUE(kept.has_value());
    EXPECT_EQ(late.error().kind(), FailureKind::statement);
    EXPECT_EQ((co_await on.exec("delete from t")).rows, 1);
    co_await on.script("begin; insert into t values(4); commit");
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from t"), 1);
  }(base_));
}

TEST_F(PostgresTransactions, what_a_copy_does_is_refused_ahead_or_told_as_unknown) {
  on_loop_.run([](Database on) -> Task<> {
    auto copy = on.exec("/* out */ Copy (insert into t values(1) returning a) to stdout");
    EXPECT_EQ((co_await failure_of(copy)).kind(), FailureKind::statement);
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from t"), 0);
    auto script = on.script("select 1; copy (insert into t values(1) returning a) to stdout");
    EXPECT_EQ((co_await failure_of(script)).kind(), FailureKind::lost);
  }(base_));
}

TEST_F(PostgresTransactions, what_a_statement_set_is_met_by_nobody_else) {
  on_loop_.run([](Database on) -> Task<> {
    const auto process = *co_await on.one<int>("select pg_backend_pid()");
    {
      Transaction local = co_await on.begin();
      co_await local.exec("set local role pg_monitor");
      co_await local.exec("set transaction read only");
      co_await local.commit();
    }
    EXPECT_EQ(co_await on.one<int>("select pg_backend_pid()"), process);
    co_await on.exec("set role pg_monitor");
    EXPECT_EQ(co_await on.one<std::string>("select current_user::text"), "tester");
    Transaction within = co_await on.begin();
    co_await within.script("set role pg_monitor; set search_path = nowhere");
    EXPECT_EQ(co_await within.one<std::string>("select current_user::text"), "pg_monitor");
    co_await within.commit();
    EXPECT_EQ(co_await on.one<std::string>("select current_user::text"), "tester");
  }(base_));
}

TEST_F(PostgresTransactions, a_procedure_whose_own_statement_is_stale_is_called_once) {
  script(base_,
         "create or replace procedure twice() language plpgsql as 'begin insert into t "
         "values(null); commit; execute ''execute not_there''; end'");
  on_loop_.run([](Database on) -> Task<> {
    auto call = on.exec("call twice()");
    EXPECT_EQ((co_await failure_of(call)).kind(), FailureKind::statement);
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from t"), 1);
  }(base_));
}

TEST_F(PostgresTransactions, connections_go_to_those_that_wait_first_come_first_served) {
  constexpr std::size_t kConnections = 3;
  const Database base = open({.connections_max = kConnections});
  on_loop_.run([](Database on) -> Task<> {
    std::deque<Transaction> held;
    std::vector<std::size_t> begun;
    auto hold = [&](std::size_t number) -> Task<> {
      held.push_back(co_await on.begin());
      begun.push_back(number);
    };
    Scope all;
    for (std::size_t i = 0; i < 12; ++i) {
      all.start(hold(i));
    }
    // The first ones begin at the same time, each on its own connection; each later one must wait
    // for any of these.
    for (std::size_t count = kConnections; count <= 12; ++count) {
      while (begun.size() < count) {
        co_await sleep_for(1ms);
      }
      EXPECT_EQ(begun.size(), count);
      EXPECT_TRUE(count == kConnections || begun.back() == count - 1) << begun.back();
      co_await held.front().roll_back();
      held.pop_front();
    }
    co_await all.join();
  }(base));
}

}  // namespace
}  // namespace eider
