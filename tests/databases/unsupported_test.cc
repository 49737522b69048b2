// Components that do not support each database.
#include <string>
#include <utility>

#include "eider/app/app.h"
#include "eider/auth/passkeys/passkey_store.h"
#include "eider/web/eventlog/eventlog.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

class ComponentsOnEach : public DatabaseTest {
 protected:
  /// Returns the error of the start, or an empty text.
  std::string start(Task<> started) {
    try {
      on_loop_.run(std::move(started));
    } catch (const db::Failure& failure) {
      return failure.what();
    }
    return {};
  }

  const Database base_ = open();
};
INSTANTIATE_TEST_SUITE_P(Each, ComponentsOnEach, each_database(), name_of_database);

// Without the check, the start fails with an error about a key length, or with a syntax error.
TEST_P(ComponentsOnEach, name_a_database_that_they_do_not_support) {
  const bool is_mariadb = base_.dialect() == db::Dialect::mariadb;
  const std::string refused =
      " does not support MariaDB and MySQL. Use SQLite or PostgreSQL for it.";
  App app;
  EXPECT_EQ(start(add_event_log(app, base_).start()), is_mariadb ? "add_event_log" + refused : "");
  EXPECT_EQ(start(sql_passkeys(base_)->start()), is_mariadb ? "sql_passkeys" + refused : "");
}

}  // namespace
}  // namespace eider
