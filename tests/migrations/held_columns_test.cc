#include "eider/data/db/migrations/held_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "eider/core/base/startup_code.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/temp_directory.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/postgres_server.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr const char* kNotesTable =
    "create table notes(id integer primary key, title varchar(50) not null, stars integer)";
constexpr const char* kNotesStatement = "select id, title, stars from notes";

/// A database with notes, and the columns with which a program was checked.
class HeldColumns : public ::testing::TestWithParam<std::string> {
 protected:
  HeldColumns() : database_(open()) {
    if (GetParam() == "postgres") {
      run("drop schema public cascade; create schema public");
    } else if (GetParam() == "mariadb") {
      run("drop database test; create database test character set utf8mb4; use test");
    }
    run(kNotesTable);
    stored_ = loop_.run(db::stored_columns(database_, kNotesStatement));
    for (const db::StoredColumn& one : stored_) {
      checked_.push_back({GetParam().c_str(), one.table_name.c_str(), one.name.c_str(),
                          one.type.c_str(), one.may_be_null, kNotesStatement});
    }
  }

  [[nodiscard]] Database open() const {
    if (GetParam() == "sqlite") {
      return open_sqlite((directory_.path() / "notes.db").string());
    }
    return GetParam() == "postgres" ? open_postgres(PostgresServer::shared().where())
                                    : open_mariadb(MariadbServer::shared().where());
  }
  void run(std::string sql) {
    loop_.run([](Database database, db::RuntimeSql text) -> Task<> {
      co_await database.script(text);
    }(database_, db::RuntimeSql{std::move(sql)}));
  }
  /// Replaces the table, as someone might do by hand.
  void make_anew(const std::string& sql) { run("drop table notes; " + sql); }

  /// Returns the error that keeps the program from starting, or "".
  [[nodiscard]] std::string refusal() {
    SchemaModule module(database_, checked_);
    const Result<void> started = loop_.run(module.start());
    if (started) {
      return "";
    }
    const auto line = detail::base::split_code(started.error().cause(), "startup-failed");
    EXPECT_EQ(line.code.text(), "schema-differs");
    return line.text;
  }
  [[nodiscard]] std::string differs(const std::string& column, const std::string& how) const {
    return "notes." + column + ": [differs] the column was " + how +
           "; used by: " + kNotesStatement;
  }

  /// Returns the name of a type as the database reports it for columns of notes.
  [[nodiscard]] static std::string integer() {
    return GetParam() == "mariadb" ? "int(11)" : "integer";
  }
  [[nodiscard]] static std::string text_of(int length) {
    return (GetParam() == "postgres" ? "character varying(" : "varchar(") + std::to_string(length) +
           ")";
  }

  TempDirectory directory_;
  TestLoop loop_;
  Database database_;
  std::vector<db::StoredColumn> stored_;
  std::vector<db::checked::TableColumn> checked_;
};

TEST_P(HeldColumns, that_are_as_they_were_let_a_program_start) {
  ASSERT_EQ(checked_.size(), 3U);
  EXPECT_EQ(refusal(), "");
}

TEST_P(HeldColumns, may_get_others_beside_them_and_be_null_no_more) {
  make_anew(
      "create table notes(id integer primary key, title varchar(50) not null, stars integer "
      "not null, body text); create table more(id integer)");
  EXPECT_EQ(refusal(), "");
}

TEST_P(HeldColumns, that_are_gone_are_told_with_the_statement) {
  make_anew("create table notes(id integer primary key, title varchar(50) not null)");
  EXPECT_EQ(
      refusal(),
      differs("stars", integer() + " when this program was checked, but does not exist any more"));
}

TEST_P(HeldColumns, of_another_type_are_told_with_both) {
  make_anew("create table notes(id integer primary key, title varchar(9) not null, stars integer)");
  EXPECT_EQ(refusal(),
            differs("title", text_of(50) + " not null when this program was checked, but is " +
                                 text_of(9) + " not null"));
}

TEST_P(HeldColumns, that_may_be_null_now_are_told) {
  make_anew("create table notes(id integer primary key, title varchar(50), stars integer)");
  EXPECT_EQ(refusal(),
            differs("title", text_of(50) + " not null when this program was checked, but is " +
                                 text_of(50)));
}

TEST_P(HeldColumns, of_a_table_that_is_gone_are_all_told) {
  run("drop table notes");
  const std::string told = refusal();
  EXPECT_EQ(std::ranges::count(told, '\n'), 2) << told;
}

TEST_P(HeldColumns, of_another_database_than_the_one_that_is_open_are_passed_over) {
  run("drop table notes");
  for (db::checked::TableColumn& column : checked_) {
    column.database = GetParam() == "sqlite" ? "postgres" : "sqlite";
  }
  EXPECT_EQ(refusal(), "");
}

TEST_P(HeldColumns, only_warn_where_that_is_set) {
  run("drop table notes");
  std::string warned;
  SchemaModule module(database_, {}, {.on_warning = [&](std::string_view told) { warned = told; }},
                      checked_);
  EXPECT_FALSE(loop_.run(module.start()));
  EXPECT_EQ(warned, "");
  module.settings.check_columns = false;
  EXPECT_TRUE(loop_.run(module.start()));
  EXPECT_TRUE(warned.starts_with("notes.id: [differs] the column was " + integer())) << warned;
}

INSTANTIATE_TEST_SUITE_P(Each, HeldColumns, ::testing::Values("sqlite", "postgres", "mariadb"),
                         [](const auto& one) { return one.param; });

TEST(TableColumns, of_sqlite_are_told_beside_a_view_that_is_broken_and_not_named) {
  TestLoop loop;
  const TempDirectory directory;
  const Database database = open_sqlite((directory.path() / "notes.db").string());
  loop.run([](Database on) -> Task<> {
    co_await on.script(
        "create table notes(id integer primary key); create table old(id int); "
        "create view broken as select id from old; drop table old");
  }(database));
  EXPECT_EQ(loop.run(db::stored_columns(database, kNotesStatement)).size(), 1U);
}

}  // namespace
}  // namespace eider
