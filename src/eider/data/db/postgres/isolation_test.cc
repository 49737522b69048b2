// Transactions of PostgreSQL that are tried again, what they see of each other, and savepoints.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/postgres_tests.h"
#include "tests/support/transaction_checks.h"

namespace eider {
namespace {

using db::Isolation;

class IsolationInPostgres : public PostgresTest {};

Task<> quicken_deadlocks(Database base) {
  co_await base.exec("alter role tester set deadlock_timeout = '50ms'");
}

TEST_F(IsolationInPostgres, what_the_server_takes_back_is_tried_again_where_that_is_asked_for) {
  on_loop_.run(check_that_what_was_taken_back_is_tried_again(open()));
  on_loop_.run(check_that_nothing_else_is_tried_again(open()));
  on_loop_.run(check_that_tries_end_with_who_waits(open()));
}

TEST_F(IsolationInPostgres, no_count_is_lost) {
  for (const Isolation isolation : {Isolation::repeatable_read, Isolation::serialisable}) {
    on_loop_.run(check_that_no_count_is_lost(open(), isolation));
  }
}

TEST_F(IsolationInPostgres, no_two_write_by_what_both_have_read) {
  on_loop_.run(check_that_no_two_write_by_what_both_have_read(open()));
}

TEST_F(IsolationInPostgres, deadlocks_are_overcome) {
  on_loop_.run(quicken_deadlocks(open()));
  on_loop_.run(check_that_deadlocks_are_overcome(open()));
}

TEST_F(IsolationInPostgres, a_deadlock_that_is_kept_quiet_is_told_at_the_end) {
  on_loop_.run(quicken_deadlocks(open()));
  on_loop_.run(check_that_a_deadlock_that_is_kept_quiet_is_told(open()));
}

TEST_F(IsolationInPostgres, a_commit_that_is_refused_is_tried_again) {
  const int runs = on_loop_.run([](Database base) -> Task<int> {
    co_await make_places(base);
    Meeting meeting;
    int count = 0;
    const auto set = [](Database on, int id, Meeting* at, int* runs_of_both) -> Task<> {
      const auto body = [id, at, runs_of_both](Transaction& all) -> Task<> {
        ++*runs_of_both;
        const auto read = co_await all.all<int>("select n from places");
        co_await all.exec("update places set n = $1 where id = $2", read[0] + read[1] + 1, id);
        co_await at->come();  // nothing but the commit is left
      };
      co_await on.transaction({.isolation = Isolation::serialisable, .tries_max = 5}, body);
    };
    co_await run_both(set(base, 1, &meeting, &count), set(base, 2, &meeting, &count));
    const auto sum = co_await base.one<int>("select sum(n)::int from places");
    EXPECT_EQ(sum, 3);  // one has seen the other
    co_return count;
  }(open()));
  EXPECT_EQ(runs, 3);
}

TEST_F(IsolationInPostgres, a_level_is_of_one_transaction) {
  on_loop_.run([](Database base) -> Task<> {
    constexpr std::pair<Isolation, const char*> kLevels[] = {
        {Isolation::serialisable, "serializable"},
        {Isolation::repeatable_read, "repeatable read"},
        {Isolation::read_committed, "read committed"},
        {Isolation::server, "read committed"}};
    const auto process = co_await base.one<int>("select pg_backend_pid()");
    for (const auto& [isolation, name] : kLevels) {
      Transaction one = co_await base.begin({.isolation = isolation});
      EXPECT_EQ(co_await one.one<std::string>("show transaction_isolation"), name);
      co_await one.commit();
      Transaction next = co_await base.begin();
      EXPECT_EQ(co_await next.one<std::string>("show transaction_isolation"), "read committed");
      co_await next.commit();
    }
    EXPECT_EQ(co_await base.one<int>("select pg_backend_pid()"), process);
  }(open({.connections_max = 1})));
}

TEST_F(IsolationInPostgres, a_level_is_in_force) {
  EXPECT_EQ(on_loop_.run(change_seen(open(), Isolation::read_committed)), 7);
  EXPECT_EQ(on_loop_.run(change_seen(open(), Isolation::repeatable_read)), 0);
}

TEST_F(IsolationInPostgres, savepoints_take_back_their_part) {
  on_loop_.run(check_that_a_savepoint_takes_back_its_part(open()));
  on_loop_.run(check_that_savepoints_nest(open()));
  on_loop_.run(check_that_a_savepoint_that_is_left_takes_all_back(open()));
  on_loop_.run(check_that_a_savepoint_goes_with_its_connection(open(), "select pg_backend_pid()",
                                                               "select pg_terminate_backend"));
}

}  // namespace
}  // namespace eider
