#include "eider/data/db/mariadb/statement_kinds.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::db::mariadb {
namespace {

TEST(MariadbStatements, have_a_placeholder_for_each_number_outside_of_quotes_and_comments) {
  const auto translated = [](std::string_view sql) {
    const Translated made = translate(sql);
    std::string text = made.sql;
    for (const std::size_t index : made.order) {
      text += " " + std::to_string(index);
    }
    return text;
  };
  EXPECT_EQ(translated("a = $2 and b = $1 or $2"), "a = ? and b = ? or ? 1 0 1");
  EXPECT_EQ(translated("'$1' \"$1\" `$1` -- $1\n/* $1 */ $12"),
            "'$1' \"$1\" `$1` -- $1\n/* $1 */ ? 11");
  EXPECT_EQ(translated("'it''s $1\\' $1"), "'it''s $1\\' ? 0");
  EXPECT_EQ(translated("a$1 = $1 # $2"), "a$1 = ? # ? 0 1");
  for (const char* sql : {"'", "\"", "`", "--", "/*", "$", "'$1", "/* $1", "$x"}) {
    EXPECT_EQ(translated(sql), sql);
  }
}

TEST(MariadbStatements, that_may_change_their_session_are_found) {
  for (const char* sql : {"select GET_LOCK('a', 1)", "select @a:=1", "select 1 INTO @a",
                          "create TEMPORARY table t(x int)", "LOCK TABLES t read"}) {
    EXPECT_TRUE(may_change_session(sql)) << sql;
  }
  EXPECT_FALSE(may_change_session("insert into t values($1)"));
  EXPECT_TRUE(may_change_session("lock -- all\n tables t read"));
  EXPECT_TRUE(may_change_session("select 1 INTO/**/\t@x"));
  EXPECT_TRUE(may_change_session("set /*/ a */ transaction read only"));
  EXPECT_FALSE(may_change_session("insert into t(a) values(1) -- /*"));
  for (const char* sql : {" (SELECT 1)", "select count(*), max( x) from (select 1 as x) as y",
                          "select x from t where x in (1, 2) and (y + (2)) = coalesce(z, '(')"}) {
    EXPECT_TRUE(only_reads(sql)) << sql;
  }
  for (const char* sql :
       {"", "insert into t select 1", "select take()", "selected()", "select db.count(1)",
        "select count (x) from t", "select `in`(1)", "select \"in\" (1)", "select f /* in */ (1)",
        "select f -- in\n(1)", "select mine\v(1)", "select $1(2)", "select $$(2)",
        "with x as (select 1) select * from x"}) {
    EXPECT_FALSE(only_reads(sql)) << sql;
  }
  EXPECT_TRUE(is_one_transaction("/* for all */ -- of them\n((Select 1))"));
  EXPECT_TRUE(is_one_transaction("insert into t values(1)"));
  for (const char* sql :
       {"", "-- select", "call f()", "begin not atomic select 1; end", "updated"}) {
    EXPECT_FALSE(is_one_transaction(sql)) << sql;
  }
}

}  // namespace
}  // namespace eider::db::mariadb
