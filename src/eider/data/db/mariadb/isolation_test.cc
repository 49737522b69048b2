// Transactions of MariaDB that are tried again, what they see of each other, and savepoints.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/mariadb_tests.h"
#include "tests/support/transaction_checks.h"

namespace eider {
namespace {

using db::Isolation;

class IsolationInMariadb : public MariadbTest {};

TEST_F(IsolationInMariadb, what_the_server_takes_back_is_tried_again_where_that_is_asked_for) {
  on_loop_.run(check_that_what_was_taken_back_is_tried_again(open()));
  on_loop_.run(check_that_nothing_else_is_tried_again(open()));
  on_loop_.run(check_that_tries_end_with_who_waits(open()));
}

TEST_F(IsolationInMariadb, no_count_is_lost) {
  on_loop_.run(check_that_no_count_is_lost(open(), Isolation::serialisable));
}

TEST_F(IsolationInMariadb, no_count_is_lost_where_the_server_watches_what_was_read) {
  if (is_mysql() ||
      number(open(),
             "select count(*) from information_schema.system_variables where variable_name = "
             "'innodb_snapshot_isolation'") == 0) {
    GTEST_SKIP() << "an older server, or MySQL";
  }
  script(open(), "set global innodb_snapshot_isolation = 1");
  on_loop_.run(check_that_no_count_is_lost(open(), Isolation::repeatable_read));
  script(open(), "set global innodb_snapshot_isolation = 0");
}

TEST_F(IsolationInMariadb, no_two_write_by_what_both_have_read) {
  on_loop_.run(check_that_no_two_write_by_what_both_have_read(open()));
}

TEST_F(IsolationInMariadb, deadlocks_are_overcome) {
  on_loop_.run(check_that_deadlocks_are_overcome(open()));
}

TEST_F(IsolationInMariadb, a_deadlock_that_is_kept_quiet_is_told_at_the_end) {
  on_loop_.run(check_that_a_deadlock_that_is_kept_quiet_is_told(open()));
}

/// Where the server tells no level of one transaction, what it sees does.
TEST_F(IsolationInMariadb, a_level_is_of_one_transaction_and_its_connection_stays) {
  on_loop_.run([](Database base, Database other) -> Task<> {
    co_await make_places(base);
    const auto sees_change = [](Database on, Database elsewhere,
                                TransactionOptions how) -> Task<bool> {
      Transaction reading = co_await on.begin(how);
      const auto first = co_await reading.one<int>("select n from places where id = 1");
      co_await elsewhere.exec("update places set n = n + 1 where id = 1");
      const auto second = co_await reading.one<int>("select n from places where id = 1");
      co_await reading.commit();
      co_return first != second;
    };
    const auto connection = co_await base.one<std::int64_t>("select connection_id()");
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(co_await sees_change(base, other, {.isolation = Isolation::read_committed}));
      EXPECT_FALSE(co_await sees_change(base, other, {}));
      EXPECT_FALSE(co_await sees_change(base, other, {.isolation = Isolation::repeatable_read}));
    }
    EXPECT_EQ(co_await base.one<std::int64_t>("select connection_id()"), connection);
  }(open({.connections_max = 1}), open()));
}

TEST_F(IsolationInMariadb, savepoints_take_back_their_part) {
  on_loop_.run(check_that_a_savepoint_takes_back_its_part(open()));
  on_loop_.run(check_that_savepoints_nest(open()));
  on_loop_.run(check_that_a_savepoint_that_is_left_takes_all_back(open()));
  on_loop_.run(
      check_that_a_savepoint_goes_with_its_connection(open(), "select connection_id()", "kill "));
}

}  // namespace
}  // namespace eider
