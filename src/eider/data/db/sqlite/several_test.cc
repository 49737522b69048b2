#include "tests/support/several_statements.h"

#include "tests/support/many_statements.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

class SeveralInSqlite : public SqliteTest {
 protected:
  /// On threads, where reads that turn out to write move to the writer, and on the loop.
  template <class Check>
  void on_both(Check check) {
    for (const auto runs_on : {SqliteOptions::RunsOn::threads, SqliteOptions::RunsOn::loop}) {
      on_loop_.run(check(open_sqlite(path(), {.runs_on = runs_on})));
    }
  }
};

TEST_F(SeveralInSqlite, all_keeps_errors_apart) {
  on_both(&check_that_all_keeps_errors_apart);
}

TEST_F(SeveralInSqlite, a_batch_is_all_or_nothing) {
  on_both(&check_that_a_batch_is_all_or_nothing);
}

TEST_F(SeveralInSqlite, a_transaction_decides_about_a_batch) {
  on_both(&check_that_a_transaction_decides_about_a_batch);
}

TEST_F(SeveralInSqlite, a_list_is_as_its_statements_are) {
  on_both(&check_that_a_list_is_as_its_statements_are);
}

TEST_F(SeveralInSqlite, a_hundred_thousand_statements_leave_the_memory_as_it_was) {
  if (kKeepsWhatWasFreed) {
    GTEST_SKIP() << "the sanitizer keeps what was freed";
  }
  const ResidentMib resident = resident_in_statements(open(), 100'000);
  EXPECT_LT(resident.at_end, resident.at_tenth + 1);
}

}  // namespace
}  // namespace eider
