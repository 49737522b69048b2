// Tables that several processes create at the same time, on each database.
#include "eider/data/db/create_tables.h"

#include "eider/io/runtime/scope.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

constexpr int kProcesses = 8;
constexpr const char* kRaced =
    "create table if not exists raced_a(id bigint primary key);"
    "create table if not exists raced_b(id bigint primary key);"
    "create table if not exists raced_c(id bigint primary key);";

class CreateTablesOnEach : public DatabaseTest {
 protected:
  CreateTablesOnEach() { clear(); }
  ~CreateTablesOnEach() override { clear(); }

  /// Starts the work on many connections at the same time; each must succeed.
  void race(Task<> (*work)(Database)) {
    on_loop_.run([](const Database* base, Task<> (*started)(Database)) -> Task<> {
      Scope scope;
      for (int i = 0; i < kProcesses; ++i) {
        scope.start(started(*base));
      }
      co_await scope.join();
    }(&base_, work));
  }

  void clear() {
    for (const char* const table : {"raced_a", "raced_b", "raced_c"}) {
      script(base_, std::string("drop table if exists ") + table);
    }
  }

  const Database base_ = open({.connections_max = kProcesses});
};
INSTANTIATE_TEST_SUITE_P(Each, CreateTablesOnEach, each_database(), name_of_database);

TEST_P(CreateTablesOnEach, several_processes_create_the_same_tables) {
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_NO_FATAL_FAILURE(clear());
    EXPECT_NO_THROW(race([](Database at) { return db::create_tables(std::move(at), kRaced); }));
  }
}

TEST_P(CreateTablesOnEach, several_processes_add_the_same_column) {
  script(base_, kRaced);
  EXPECT_NO_THROW(race([](Database at) {
    return db::add_column_if_missing(std::move(at), "raced_a", "extra",
                                     "bigint not null default 7");
  }));
  script(base_, "insert into raced_a(id) values (1)");
  on_loop_.run([](const Database* base) -> Task<> {
    const auto extra = co_await base->one<std::int64_t>("select extra from raced_a");
    EXPECT_EQ(extra, 7);
  }(&base_));
}

TEST_P(CreateTablesOnEach, an_invalid_statement_fails) {
  EXPECT_THROW(on_loop_.run(db::create_tables(base_, "create table raced_a(id nothing nothing")),
               db::Failure);
  EXPECT_THROW(
      on_loop_.run(db::add_column_if_missing(base_, "raced_none", "extra", "bigint not null")),
      db::Failure);
}

}  // namespace
}  // namespace eider
