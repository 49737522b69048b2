// The catalogs of real servers, which must be installed.

#include <gtest/gtest.h>

#include "cli/db/connect.h"
#include "cli/db/scratch.h"
#include "cli/db/structs/source.h"

namespace eider::structs {
namespace {

std::vector<Table> tables_read(const Scratch& scratch) {
  const Database database = open_door((*scratch)->where(), Access::reads).value();
  return read_tables(database).value();
}

Migrations migrations_with(const char* sql) {
  const std::vector<MigrationFile> files = {{"0001_a.sql", sql}};
  return make_migrations(files).value();
}

TEST(ReadTables, of_postgres_distinguish_schemas) {
  const Scratch scratch = make_postgres_scratch(
      migrations_with("create schema shop;\ncreate type mood as enum('a');\n"
                      "create type shop.mood as enum('b');\n"
                      "create table notes(id int primary key, x mood, y shop.mood default 'b', "
                      "z varchar(9) default null);\n"
                      "create table shop.\"a.b\"(id int primary key);\n"),
      "");
  ASSERT_TRUE(scratch) << scratch.error();
  const std::vector<Table> tables = tables_read(scratch);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].name, "notes");
  EXPECT_EQ(tables[0].schema, "");
  EXPECT_EQ(tables[1].schema, "shop");
  EXPECT_EQ(tables[1].own_name(), "a.b");
  EXPECT_EQ(tables[0].columns[3].default_sql, "");
  const std::string header =
      generate_header(tables, {}, {.dialect = db::Dialect::postgres, .user_file = "u.h"}).text;
  EXPECT_TRUE(header.contains("enum class Mood { a };")) << header;
  EXPECT_TRUE(header.contains("enum class ShopMood { b };")) << header;
  EXPECT_TRUE(header.contains("  std::optional<ShopMood> y = ShopMood::b;\n")) << header;
}

TEST(ReadTables, of_mariadb_have_defaults_and_lengths_as_declared) {
  const Scratch scratch = make_mariadb_scratch(
      migrations_with("create table notes(id int primary key, a varchar(9) default 'it''s', "
                      "b varchar(9) default 'a\\b', "
                      "c varchar(20) not null default 'abc' check(length(c) between 3 and 9));\n"),
      "");
  ASSERT_TRUE(scratch) << scratch.error();
  const std::vector<Table> tables = tables_read(scratch);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].columns[1].default_sql, "'it''s'");
  EXPECT_EQ(tables[0].columns[2].default_sql, "'a\\b'");
  const std::string header =
      generate_header(tables, {}, {.dialect = db::Dialect::mariadb, .user_file = "u.h"}).text;
  EXPECT_TRUE(header.contains("  eider::Sized<std::string, 1, 9> c = \"abc\";\n")) << header;
  EXPECT_TRUE(header.contains("a = \"it's\";")) << header;
}

TEST(ReadTables, of_sqlite_number_only_a_key_of_one_integer) {
  const Scratch scratch = make_sqlite_scratch(
      migrations_with("create table a(id integer primary key, x text);\n"
                      "create table b(x integer, y integer not null, primary key(x, y));\n"
                      "create table c(x integer, y integer, primary key(y, x)) without rowid;\n"));
  ASSERT_TRUE(scratch) << scratch.error();
  std::string found;
  for (const Table& table : tables_read(scratch)) {
    for (const Column& column : table.columns) {
      found += (found.empty() ? "" : ", ") + table.name + "." + column.name;
      found += column.is_counted ? " numbered" : "";
      found += column.may_be_null ? " null" : "";
    }
  }
  EXPECT_EQ(found, "a.id numbered, a.x null, b.x null, b.y, c.x, c.y");
}

}  // namespace
}  // namespace eider::structs
