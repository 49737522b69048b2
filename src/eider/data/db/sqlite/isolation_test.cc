// Transactions of SQLite that are tried again, and savepoints.
#include <gtest/gtest.h>

#include "tests/support/sqlite_notes.h"
#include "tests/support/transaction_checks.h"

namespace eider {
namespace {

class IsolationInSqlite : public SqliteTest {};

TEST_F(IsolationInSqlite, what_is_taken_back_is_tried_again_where_that_is_asked_for) {
  on_loop_.run(check_that_what_was_taken_back_is_tried_again(open()));
  on_loop_.run(check_that_nothing_else_is_tried_again(open()));
  on_loop_.run(check_that_tries_end_with_who_waits(open()));
}

TEST_F(IsolationInSqlite, no_count_is_lost_by_any_level_without_a_second_try) {
  for (const db::Isolation isolation :
       {db::Isolation::read_committed, db::Isolation::serialisable}) {
    on_loop_.run(check_that_no_count_is_lost(open(), isolation));
  }
}

TEST_F(IsolationInSqlite, savepoints_take_back_their_part) {
  for (const bool is_rolled_back : {false, true}) {
    const Database base = open_sqlite(path(), {.is_rolled_back = is_rolled_back});
    on_loop_.run(check_that_a_savepoint_takes_back_its_part(base));
    on_loop_.run(check_that_savepoints_nest(base));
    on_loop_.run(check_that_a_savepoint_that_is_left_takes_all_back(base));
  }
}

}  // namespace
}  // namespace eider
