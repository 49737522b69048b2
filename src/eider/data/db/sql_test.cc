#include "eider/data/db/sql.h"

#include <gtest/gtest.h>

namespace eider::db {
namespace {

static_assert(read_sql("select $1, $2").parameters == 2);

TEST(Sql, parameters_are_found_outside_of_quotes_and_comments) {
  const struct {
    const char* sql;
    std::size_t parameters;
  } kCases[] = {
      {"select 1", 0},
      {"select $1", 1},
      {"select $2, $1, $2", 2},
      {"select '$1', \"$2\", `$3`", 0},
      {"select 'it''s $1', $1", 1},
      {"select -- $1\n $1", 1},
      {"select /* $1 ; ' */ 1", 0},
      {"select a - -1, b / 2", 0},
      {"select 1;", 0},
      {"select 1 ; -- the end", 0},
      {";select 1", 0},
      {"select data ->> '$.a' from x where id=$1", 1},
      {"select e'it\\'s $2', E'\\\\', $1", 1},
      {"select fe'a\\', $1", 1},
      {"do $$ begin perform '; $1'; end $$", 0},
      {"select $a_1$ $$ ' $2 $a_1$, $1", 1},
      {"select /* a /* ' $2 */ b */ $1", 1},
      {"select /**/ $1 /* /*/ */ */", 1},
      {"select /*/ $2 */ $1", 1},
      {"select a$2, \xC3\xA4$3, f$a$ from x$ where b = $1", 1},
      {"select $\xC3\xA4$ $2 $\xC3\xA4$, $1", 1},
      {"select e'a' \n 'it\\'s $2', $1", 1},
      {"select e'a' || 'b\\', $1", 1},
      {"select data ? 'key' from x where tags ?| $1 or tags ?& $2", 2},
      {"select data @? '$.a', data ? $1", 1},
  };
  for (const auto& [sql, parameters] : kCases) {
    EXPECT_EQ(read_sql(sql).fault, SqlFault::none) << sql;
    EXPECT_EQ(read_sql(sql).parameters, parameters) << sql;
  }
}

TEST(Sql, what_is_wrong_with_a_statement_is_named) {
  const struct {
    const char* sql;
    SqlFault fault;
  } kCases[] = {
      {"", SqlFault::empty},
      {" ; ", SqlFault::empty},
      {"-- only", SqlFault::empty},
      {"/* only */", SqlFault::empty},
      {"select '", SqlFault::not_closed},
      {"select 'a''", SqlFault::not_closed},
      {"select \"a", SqlFault::not_closed},
      {"select 1 /* a", SqlFault::not_closed},
      {"select 1 /* a /* b */", SqlFault::not_closed},
      {"select 1 /*/", SqlFault::not_closed},
      {"select e'a'\n'\\'", SqlFault::not_closed},
      {"select ?", SqlFault::bad_parameter},
      {"select ?1", SqlFault::bad_parameter},
      {"select ?", SqlFault::bad_parameter},
      {"select 1 where a = ? and b = ?", SqlFault::bad_parameter},
      {"values(?, ?)", SqlFault::bad_parameter},
      {"select ?||'x'", SqlFault::bad_parameter},
      {"select e'\\'", SqlFault::not_closed},
      {"select $a$ $b$", SqlFault::not_closed},
      {"select $", SqlFault::bad_parameter},
      {"select $a", SqlFault::bad_parameter},
      {"select $0", SqlFault::bad_parameter},
      {"select $65", SqlFault::bad_parameter},
      {"select $99999999999999999999", SqlFault::bad_parameter},
      {"select $2", SqlFault::unused_number},
      {"select $1, $3", SqlFault::unused_number},
      {"select 1; select 2", SqlFault::several_statements},
      {"select 1;;x", SqlFault::several_statements},
  };
  for (const auto& [sql, fault] : kCases) {
    EXPECT_EQ(read_sql(sql).fault, fault) << sql;
  }
}

TEST(Sql, a_zero_byte_is_found_wherever_it_stands) {
  EXPECT_EQ(read_sql(std::string_view("delete from t\0 where a = 1", 26)).fault,
            SqlFault::zero_byte);
  EXPECT_EQ(read_sql(std::string_view("select '\0'", 10)).fault, SqlFault::zero_byte);
}

TEST(Sql, takes_as_many_parameters_as_there_are_numbers) {
  std::string sql = "select $1";
  for (std::size_t i = 2; i <= kSqlParametersMax; ++i) {
    sql += ", $" + std::to_string(i);
  }
  EXPECT_EQ(read_sql(sql).fault, SqlFault::none);
  EXPECT_EQ(read_sql(sql).parameters, kSqlParametersMax);
}

TEST(Sql, pieces_are_joined_also_behind_an_empty_one) {
  const SqlWith<0> statement("delete from notes", nullptr, "where id = 1");
  EXPECT_EQ(statement.text().view(), "delete from notes\nwhere id = 1");
}

}  // namespace
}  // namespace eider::db
