#include "eider/data/db/records.h"

#include <gtest/gtest.h>

#include "eider/data/db/sqlite/sqlite.h"
#include "tests/support/record_checks.h"
#include "tests/support/relation_checks.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

class SqliteRecordsTest : public ::testing::Test {
 protected:
  TestLoop on_loop_;
  Database base_ = open_sqlite(
      ":memory:",
      {.schema = "create table papers(id integer primary key, title text not null unique, stars "
                 "integer, mood text not null default 'calm', version integer not null default 0, "
                 "gone text); create table tags(name text primary key, uses integer not null, gone "
                 "integer not null)"});
};

TEST_F(SqliteRecordsTest, are_stored_changed_found_and_removed) {
  on_loop_.run(record_checks::check_life(base_));
}

TEST_F(SqliteRecordsTest, are_changed_by_what_is_there) {
  on_loop_.run(record_checks::check_changes(base_));
}

TEST_F(SqliteRecordsTest, are_listed_by_what_a_struct_allows) {
  on_loop_.run(record_checks::check_pages(base_));
}

TEST_F(SqliteRecordsTest, names_are_the_programs_and_are_checked) {
  record_checks::check_misuse(base_);
}

constexpr const char* kRelated =
    "create table authors(id integer primary key, name text not null); create table "
    "books(id integer primary key, title text not null, author_id bigint, tenant "
    "bigint not null); create table chapters(id integer primary key, book_id bigint "
    "not null, text text not null, gone bool not null); create table genres(name "
    "text primary key); create table book_genres(book_id bigint not null, genre "
    "text not null);";

class SqliteRelationsTest : public ::testing::Test {
 protected:
  SqliteRelationsTest() {
    on_loop_.run([](Database base) -> Task<> {
      const db::RuntimeSql fill{relation_checks::kFill};
      co_await base.script(fill);
    }(base_));
  }

  TestLoop on_loop_;
  Database base_ = open_sqlite(":memory:", {.schema = kRelated});
};

TEST_F(SqliteRelationsTest, are_filled_by_one_query_for_each) {
  on_loop_.run(relation_checks::check_relations(base_));
}

TEST_F(SqliteRelationsTest, are_of_however_many) {
  on_loop_.run(relation_checks::check_many(base_));
}

TEST_F(SqliteRelationsTest, and_owners_keep_what_is_others_from_them) {
  on_loop_.run(relation_checks::check_owners(base_));
}

TEST_F(SqliteRelationsTest, have_names_of_sql) {
  relation_checks::check_misuse(base_);
}

}  // namespace
}  // namespace eider
