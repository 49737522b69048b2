#include "eider/data/db/migrations/sql_pieces.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::db {
namespace {

/// Returns "1:select 1|3:select 2".
std::string split(std::string_view sql, Dialect dialect = Dialect::postgres) {
  std::string told;
  for (const SqlPiece& piece : split_sql(sql, dialect)) {
    told += told.empty() ? "" : "|";
    told += std::to_string(piece.line) + ":" + std::string(piece.text);
  }
  return told;
}

TEST(SqlPieces, are_statements_with_their_lines) {
  EXPECT_EQ(split("select 1;\n\n select 2 ; -- end\n"), "1:select 1|3:select 2");
  EXPECT_EQ(split("-- a;\n/* b; */ ;; \n"), "");
  EXPECT_EQ(split("a /* ; */ b; c"), "1:a /* ; */ b|1:c");
}

TEST(SqlPieces, leave_quotes_alone) {
  EXPECT_EQ(split("a 'x;''y;' \"z;\"; b"), "1:a 'x;''y;' \"z;\"|1:b");
  EXPECT_EQ(split("a E'\\';'; b"), "1:a E'\\';'|1:b");
  EXPECT_EQ(split("a '\\'; b"), "1:a '\\'|1:b");
  EXPECT_EQ(split("a $$ ; $$; b $x$ ; $$ ; $x$; c $1; d"),
            "1:a $$ ; $$|1:b $x$ ; $$ ; $x$|1:c $1|1:d");
  EXPECT_EQ(split("a [x;] `y;`; b", Dialect::sqlite), "1:a [x;] `y;`|1:b");
  EXPECT_EQ(split("a 'never closed; b"), "1:a 'never closed; b");
  EXPECT_EQ(split("a $$ never closed; b"), "1:a $$ never closed; b");
}

TEST(SqlPieces, nest_comments_as_the_database_does) {
  EXPECT_EQ(split("/* a /* b */ ; */ c; d"), "1:c|1:d");
  EXPECT_EQ(split("/* a /* b */ c; d", Dialect::sqlite), "1:c|1:d");
}

TEST(SqlPieces, keep_the_body_of_what_they_make) {
  const std::string trigger =
      "create trigger t after insert on a begin update b set c = case when 1 then 2 end; end";
  EXPECT_EQ(split(trigger + "; select 1", Dialect::sqlite), "1:" + trigger + "|1:select 1");
  const std::string function =
      "create or replace function f() returns int begin atomic "
      "select 1; select 2; end";
  EXPECT_EQ(split(function + "; select 1"), "1:" + function + "|1:select 1");
  EXPECT_EQ(split("create table t(begin int); select 1"), "1:create table t(begin int)|1:select 1");
}

TEST(SqlPieces, tell_names_from_the_words_of_a_body) {
  const std::string trigger =
      "create temp trigger t after insert on a begin update b set end = 1 where begin = 2; "
      "update b set end = case end when 1 then 2 end; end";
  EXPECT_EQ(split(trigger + "; select 1", Dialect::sqlite), "1:" + trigger + "|1:select 1");
  EXPECT_EQ(split("create table t(trigger text, begin int); a; commit"),
            "1:create table t(trigger text, begin int)|1:a|1:commit");
  EXPECT_EQ(split("create function f(begin date) returns int as $$ select 1; $$; commit"),
            "1:create function f(begin date) returns int as $$ select 1; $$|1:commit");
}

TEST(SqlPieces, take_a_dollar_in_a_name_for_a_part_of_it) {
  EXPECT_EQ(split("create table a$b(x int);\ncommit; create table c$b(y int)"),
            "1:create table a$b(x int)|2:commit|2:create table c$b(y int)");
}

TEST(SqlPieces, keep_the_bodies_of_mariadb) {
  const std::string bodies[] = {
      "create definer = `a;b`@localhost trigger t before insert on a for each row begin if new.x "
      "then set new.y = case new.end when 1 then 2 end; end if; case new.x when 1 then set new.x = "
      "2; end case; end",
      "create or replace procedure p() l: begin declare i int; while i < 2 do set i = 1; end "
      "while; "
      "begin select 1; end; for j in 1..2 do select j; end for; end l",
      "create function f() returns int begin return case when 1 then 2 end; end",
      "create event e on schedule every 1 day do begin select 1; select 2; end",
      "begin not atomic declare x int; set x = 1; end"};
  for (const std::string& body : bodies) {
    EXPECT_EQ(split(body + "; select 1", Dialect::mariadb), "1:" + body + "|1:select 1");
  }
  const std::string plain = "create trigger t before insert on a for each row set new.x = 1";
  EXPECT_EQ(split(plain + "; commit", Dialect::mariadb), "1:" + plain + "|1:commit");
  EXPECT_EQ(split("create table t(`begin` int, `function` int); commit", Dialect::mariadb),
            "1:create table t(`begin` int, `function` int)|1:commit");
}

TEST(SqlPieces, know_quotes_and_comments_of_mariadb) {
  EXPECT_EQ(split("a '\\'; b `;`; c \"x;\"; # d;\n e", Dialect::mariadb),
            "1:a '\\'|1:b `;`|1:c \"x;\"|2:e");
  EXPECT_EQ(split("/* a; /* b; */ c; /*! set x = 1 */; /*M!100100 d; */; e", Dialect::mariadb),
            "1:c|1:/*! set x = 1 */|1:/*M!100100 d|1:*/|1:e");
  EXPECT_EQ(split("a $$; b $1", Dialect::mariadb), "1:a $$|1:b $1");
  EXPECT_EQ(split("a 5--1; commit;\n--\tb;\nc", Dialect::mariadb), "1:a 5--1|1:commit|3:c");
}

TEST(SqlPieces, know_their_first_words) {
  const SqlPiece piece = split_sql(" /* x */ commit -- y\n now; ", Dialect::sqlite).at(0);
  EXPECT_EQ(piece.words[0], "commit");
  EXPECT_EQ(piece.words[1], "now");
  EXPECT_EQ(piece.words[2], "");
}

TEST(SqlPieces, in_a_comment_that_mariadb_runs_have_no_version_among_their_words) {
  EXPECT_EQ(split_sql("/*!50003 commit */", Dialect::mariadb).at(0).words[0], "commit");
  EXPECT_EQ(split_sql("/*M!100100 commit */", Dialect::mariadb).at(0).words[0], "commit");
  EXPECT_EQ(split_sql("/*!50003 create trigger t before insert on a for each row begin b; c; end "
                      "*/; d",
                      Dialect::mariadb)
                .size(),
            2U);
}

TEST(SqlPieces, end_comments_that_mariadb_runs_where_their_end_is) {
  EXPECT_EQ(split("select 1 /*!50003 */*2; commit; -- */", Dialect::mariadb),
            "1:select 1 /*!50003 */*2|1:commit");
}

TEST(TokensOfMariadb, are_those_that_it_runs) {
  std::string all;
  for (const auto& token : tokens_of_mariadb("a /* b */ /*!50003 c */ /*M!d */*'/*!' # e\n -- f")) {
    all += std::string(token.text) + "|";
  }
  EXPECT_EQ(all, "a|c|d|*|'/*!'|");
}

TEST(SqlPieces, know_which_of_them_begin_or_end_a_transaction) {
  const auto controls = [](std::string_view sql, Dialect dialect = Dialect::mariadb) {
    return controls_transaction(split_sql(sql, dialect).at(0));
  };
  for (const char* sql :
       {"begin", "BEGIN immediate", "start transaction", "commit", "commit and chain", "end",
        "rollback", "rollback work", "rollback and chain", "abort", "prepare transaction 'x'",
        "/*!50003 commit */"}) {
    EXPECT_TRUE(controls(sql)) << sql;
  }
  for (const char* sql : {"begin not deferrable", "BEGIN NOT DEFERRABLE, read only",
                          "begin work not "
                          "deferrable",
                          "begin transaction not deferrable", "begin not"}) {
    EXPECT_TRUE(controls(sql, Dialect::postgres)) << sql;
  }
  for (const char* sql :
       {"begin not atomic select 1; end", "rollback to a", "ROLLBACK TO SAVEPOINT a",
        "rollback work to a", "rollback transaction to savepoint a", "savepoint a", "release a",
        "prepare a as select 1", "'commit'", "`commit`", "select 'a;' /* ; commit; */"}) {
    EXPECT_FALSE(controls(sql)) << sql;
  }
}

TEST(StatementsInBlock, begin_wherever_one_may) {
  const auto found = [](std::string_view sql) {
    std::string all;
    for (const SqlPiece& piece : statements_in_block(split_sql(sql, Dialect::mariadb).at(0))) {
      all += (all.empty() ? "" : "|") + std::to_string(piece.line) + ":" + std::string(piece.text);
    }
    return all;
  };
  EXPECT_EQ(found("\nbegin not atomic\n a /* ; */; -- b;\n begin c 'd;'; end; end;"),
            "3:a|4:c 'd;'");
  EXPECT_EQ(found("begin not atomic if x then a; elseif y then b; else c; end if; end"),
            "1:if x then a|1:a|1:elseif y then b|1:b|1:else c|1:c");
  EXPECT_EQ(found("begin not atomic l: loop a; end loop; repeat b; until x end repeat; while x do "
                  "c; end while; case x when 1 then d; else e; end case; end"),
            "1:l: loop a|1:a|1:repeat b|1:b|1:until x end repeat|1:while x do c|1:c|"
            "1:case x when 1 then d|1:d|1:else e|1:e");
  EXPECT_EQ(found("begin not atomic declare x int; /*!50003 a */ ; end"),
            "1:declare x int|1:x int|"
            "1:int|1:a");
  EXPECT_EQ(found("begin not atomic /*!50003 */ commit; end"), "1:commit");
  EXPECT_EQ(found("create procedure p() begin a; end"), "");
  EXPECT_EQ(found("begin not deferrable"), "");
}

TEST(SqlPieces, end_wherever_a_script_is_cut) {
  const std::string all =
      "create trigger t begin a 'b''' \"c\" [d] `e` /* f */ -- g\n; end; $x$ h $x$ E'\\'";
  for (std::size_t end = 0; end <= all.size(); ++end) {
    for (const Dialect dialect : {Dialect::sqlite, Dialect::postgres, Dialect::mariadb}) {
      for (const SqlPiece& piece : split_sql(std::string_view(all).substr(0, end), dialect)) {
        EXPECT_FALSE(piece.text.empty());
      }
    }
  }
}

}  // namespace
}  // namespace eider::db
