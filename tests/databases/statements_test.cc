// Single statements: rows, changes and errors.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

struct Reader {
  int id;
  std::string email;
  std::optional<int> age;
};

Task<> make_readers(Database base) {
  co_await base.script(
      "drop table if exists loans; drop table if exists readers; create table readers(id int "
      "primary key, email varchar(50) not null, age int, constraint readers_email_key "
      "unique(email), constraint readers_age check(age > 0)); create table loans(reader int, "
      "constraint loans_reader foreign key(reader) references readers(id)); insert into readers "
      "values(1, 'a@b', 3)");
}

class StatementTest : public DatabaseTest {
 protected:
  StatementTest() { on_loop_.run(make_readers(base_)); }
  [[nodiscard]] db::Failure failure(const std::string& sql) {
    return on_loop_.run([](Database on, db::RuntimeSql text) -> Task<db::Failure> {
      auto pending = on.exec(text);
      co_return co_await failure_of(pending);
    }(base_, db::RuntimeSql{sql}));
  }

  const Database base_ = open();
};

INSTANTIATE_TEST_SUITE_P(On, StatementTest, each_database(), name_of_database);

TEST_P(StatementTest, rows_are_read_as_structs_values_or_by_name) {
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ((co_await on.exec("insert into readers values($2, $1, $3)", "it's; drop table x --",
                                2, std::nullopt))
                  .rows,
              1);
    const auto readers = co_await on.all<Reader>("select id, email, age from readers order by id");
    EXPECT_EQ(readers.size(), 2U);
    EXPECT_EQ(readers.at(0).age, 3);
    EXPECT_EQ(readers.at(1).email, "it's; drop table x --");
    EXPECT_EQ(readers.at(1).age, std::nullopt);
    const auto rows = co_await on.all<db::Row>("select id, email, age from readers order by id");
    EXPECT_EQ(rows.at(0)["id"].integer(), 1);
    EXPECT_EQ(*rows.at(0)["email"].text(), "a@b");
    EXPECT_TRUE(rows.at(1)[2].is_null());
    EXPECT_THROW((void)rows.at(0)["c"], db::Failure);
    EXPECT_EQ((co_await on.exec("update readers set age = 4")).rows, 2);
    EXPECT_EQ((co_await on.exec("delete from readers where id = 9")).rows, 0);
  }(base_));
}

TEST_P(StatementTest, one_returns_a_row_or_nothing_and_refuses_two) {
  on_each_way([](Database on) -> Task<> {
    co_await make_readers(on);
    EXPECT_EQ(co_await on.one<int>("select count(*) from loans"), 0);
    EXPECT_FALSE(co_await on.one<Reader>("select id, email, age from readers where id = $1", 7));
    EXPECT_EQ(co_await on.one<std::string>("select 'text'"), "text");
    EXPECT_EQ(co_await on.one<bool>("select 1 = 1"), true);
    auto two = on.one<int>("select 1 union select 2");
    EXPECT_EQ((co_await failure_of(two)).kind(), FailureKind::row);
    auto null = on.one<int>("select null");
    EXPECT_EQ((co_await failure_of(null)).kind(), FailureKind::row);
    auto text = on.all<int>("select 'x'");
    EXPECT_EQ((co_await failure_of(text)).kind(), FailureKind::row);
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  });
}

TEST_P(StatementTest, a_violated_constraint_is_reported_with_its_names_and_no_value) {
  const bool has_names = differs().names_foreign_keys;
  const struct {
    const char* sql;
    FailureKind kind;
    const char* constraint;
    const char* column;
    int status;
  } kCases[] = {
      {"insert into readers values(2, 'a@b', 1)", FailureKind::unique, "readers_email_key", nullptr,
       409},
      {"insert into readers values(2, null, 1)", FailureKind::not_null, "", "email", 409},
      {"insert into readers values(2, 'c', 0)", FailureKind::check, "readers_age", "", 409},
      {"insert into loans values(9)", FailureKind::foreign_key, has_names ? "loans_reader" : "",
       has_names ? "reader" : "", 409},
      {"selct 1", FailureKind::statement, "", "", 500},
      {"select * from absent", FailureKind::statement, "", "", 500},
      {"insert into absent values(1)", FailureKind::statement, "", "", 500},
  };
  for (const auto& [sql, kind, constraint, column, status] : kCases) {
    const db::Failure failed = failure(sql);
    EXPECT_EQ(failed.kind(), kind) << sql << ": " << failed.what();
    EXPECT_EQ(failed.by().constraint, constraint) << sql;
    if (column != nullptr) {
      EXPECT_EQ(failed.by().column, column) << sql;
    }
    EXPECT_EQ(failed.error().status(), status) << sql;
    EXPECT_FALSE(failed.error().detail().contains("readers")) << failed.error().detail();
  }
  EXPECT_EQ(number(base_, "select count(*) from readers"), 1);
}

TEST_P(StatementTest, rows_of_a_table_that_has_changed_are_read_as_they_are_then) {
  on_each_way([](Database on) -> Task<> {
    co_await on.script(
        "drop table if exists altered; create table altered(x int); insert into altered "
        "values(1)");
    EXPECT_EQ((co_await on.one<db::Row>("select * from altered"))->size(), 1U);
    co_await on.script("alter table altered add y varchar(9) default 'why'");
    EXPECT_EQ((co_await on.one<db::Row>("select * from altered"))->size(), 2U);
    co_await on.script(
        "drop table altered; create table altered(y varchar(9), x varchar(9)); insert into altered "
        "values('2', '1')");
    EXPECT_EQ(*(*co_await on.one<db::Row>("select * from altered"))["x"].text(), "1");
  });
}

TEST_P(StatementTest, a_transaction_is_kept_as_a_whole_or_not_at_all) {
  on_each_way([](Database on) -> Task<> {
    co_await make_readers(on);
    const auto keep_two = [](Transaction& all) -> Task<int> {
      co_await all.exec("insert into readers values(2, 'b', 1)");
      co_await all.exec("insert into readers values(3, 'c', 1)");
      co_return (co_await all.one<int>("select count(*) from readers")).value();
    };
    EXPECT_EQ(co_await on.transaction(keep_two), 3);
    const auto violate = [](Transaction& all) -> Task<> {
      co_await all.exec("insert into readers values(4, 'd', 1)");
      co_await all.exec("insert into readers values(1, 'e', 1)");
    };
    auto violating = on.transaction(violate);
    EXPECT_EQ((co_await failure_of(violating)).kind(), FailureKind::unique);
    const auto refuse = [](Transaction& all) -> Task<Result<int>> {
      co_await all.exec("insert into readers values(4, 'd', 1)");
      co_return fail(Error::not_found());
    };
    EXPECT_FALSE(co_await on.transaction(refuse));
    {
      Transaction dropped = co_await on.begin();
      co_await dropped.exec("insert into readers values(4, 'd', 1)");
    }
    {
      Transaction back = co_await on.begin();
      co_await back.exec("insert into readers values(4, 'd', 1)");
      co_await back.roll_back();
      auto late = back.exec("insert into readers values(5, 'e', 1)");
      EXPECT_EQ((co_await failure_of(late)).kind(), FailureKind::statement);
    }
    EXPECT_EQ(co_await on.one<int>("select count(*) from readers"), 3);
  });
  EXPECT_TRUE(gets_quiet());
}

TEST_P(StatementTest, a_script_whose_statement_fails_changes_no_rows) {
  on_loop_.run([](Database on) -> Task<> {
    auto broken = on.script(
        "insert into readers values(2, 'b', 1); insert into readers values(1, 'c', 1); insert into "
        "readers values(3, 'd', 1)");
    EXPECT_EQ((co_await failure_of(broken)).kind(), FailureKind::unique);
    EXPECT_EQ(co_await on.one<int>("select count(*) from readers"), 1);
    Transaction kept = co_await on.begin();
    co_await kept.script(
        "insert into readers values(5, 'e', 1); insert into readers values(6, 'f', 1)");
    co_await kept.commit();
    EXPECT_EQ(co_await on.one<int>("select count(*) from readers"), 3);
  }(base_));
}

TEST_P(StatementTest, a_transaction_that_is_open_for_too_long_is_rolled_back_and_says_so) {
  on_loop_.run([](Database on) -> Task<> {
    Transaction slow = co_await on.begin();
    co_await slow.exec("insert into readers values(2, 'b', 1)");
    co_await sleep_for(1500ms);
    auto late = slow.exec("insert into readers values(3, 'c', 1)");
    EXPECT_EQ((co_await failure_of(late)).kind(), FailureKind::expired);
    auto commit = slow.commit();
    EXPECT_EQ((co_await failure_of(commit)).kind(), FailureKind::expired);
    EXPECT_EQ(co_await on.one<int>("select count(*) from readers"), 1);
  }(open({.connections_max = 1, .limits = {.transaction_time_max = 1s}})));
}

Task<> wait_in_transaction(Database on, std::string waits) {
  Transaction left = co_await on.begin();
  co_await left.exec("insert into readers values(2, 'b', 1)");
  const db::RuntimeSql text{std::move(waits)};
  (void)co_await left.all<std::int64_t>(text);
}

TEST_P(StatementTest, a_task_that_is_dropped_in_a_transaction_rolls_it_back) {
  on_loop_.run([](Database on) -> Task<> {
    for (const Duration after : {0ms, 1ms, 5ms, 100ms}) {
      Task<> leaving = wait_in_transaction(on, differs().waits);
      leaving.start();
      co_await sleep_for(after);
    }
    // The only connection is free after all of these have ended.
    EXPECT_EQ(co_await on.one<int>("select count(*) from readers"), 1);
  }(open({.connections_max = 1})));
}

TEST_P(StatementTest, one_that_takes_too_long_is_ended_and_its_connection_can_be_used) {
  for (const std::size_t statements : {256UL, 0UL}) {
    on_loop_.run([](Database on) -> Task<> {
      const db::RuntimeSql text{differs().waits};
      auto slow = on.all<std::int64_t>(text);
      EXPECT_EQ((co_await failure_of(slow)).kind(), FailureKind::expired);
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }(open({.connections_max = 1,
                                 .statements_max = statements,
                                 .limits = {.statement_time_max = 1s}})));
    EXPECT_TRUE(gets_quiet());
  }
}

TEST_P(StatementTest, many_at_once_are_all_done) {
  on_loop_.run([](Database on) -> Task<> {
    const auto add = [](Database to, int id) -> Task<> {
      const auto body = [id](Transaction& all) -> Task<> {
        co_await all.exec("insert into readers values($1, $2, 1)", id, std::to_string(id));
      };
      co_await to.transaction(body);
    };
    Scope all;
    for (int id = 2; id <= 300; ++id) {
      all.start(add(on, id));
    }
    co_await all.join();
    EXPECT_EQ(co_await on.one<int>("select count(*) from readers"), 300);
  }(base_));
}

}  // namespace
}  // namespace eider
