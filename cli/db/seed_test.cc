// `eider db seed` on the databases, which must be installed.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "cli/bench/on_loop.h"
#include "cli/db/connect.h"
#include "cli/db/options.h"
#include "cli/db/scratch.h"
#include "eider/testkit/temp_directory.h"

namespace eider {
namespace {

constexpr const char* kSeededTables =
    "create table authors(id integer primary key, name varchar(9));\n"
    "create table counters(id integer primary key, n integer);\n"
    "insert into counters values(1, 1);\n";

Scratch scratch_for_seeds(const std::string& database, const std::string& more = "") {
  const std::string sql = kSeededTables + more;
  const std::vector<MigrationFile> files = {{"0001_a.sql", sql}};
  const Migrations migrations = make_migrations(files).value();
  return database == "sqlite"     ? make_sqlite_scratch(migrations)
         : database == "postgres" ? make_postgres_scratch(migrations, "")
                                  : make_mariadb_scratch(migrations, "");
}

/// A folder with one seed file; runs it.
class SeedRuns : public ::testing::Test {
 protected:
  /// Runs the command, and returns "1 " and the error, or "0 " and the rows.
  std::string run(const std::string& where, std::string_view sql) {
    std::ofstream(directory_.path() / "01.sql") << sql;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int code = run_seeds({.what = "seed", .database = where, .seeds = directory_.path()});
    const std::string out = ::testing::internal::GetCapturedStdout();
    return fmt::format("{} {}{}", code, out, ::testing::internal::GetCapturedStderr());
  }

  static std::int64_t number(const std::string& where, const std::string& sql) {
    const Database database = open_door(where, Access::reads).value();
    std::optional<std::int64_t> found;
    bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
      found = co_await database.one<std::int64_t>(db::RuntimeSql{sql});
    });
    return found.value_or(-1);
  }

 private:
  TempDirectory directory_;
};

TEST_F(SeedRuns, with_statements_that_end_the_transaction_store_nothing) {
  for (const std::string database : {"sqlite", "postgres", "mariadb"}) {
    const Scratch scratch = scratch_for_seeds(database);
    ASSERT_TRUE(scratch) << scratch.error();
    const std::string where = (*scratch)->where();
    std::vector<std::string> statements = {"commit",   "/* x */ COMMIT work", "begin",
                                           "rollback", "start transaction",   "end"};
    if (database == "postgres") {
      statements.insert(statements.end(),
                        {"abort", "prepare transaction 'x'", "begin not deferrable"});
    } else if (database == "mariadb") {
      statements.insert(statements.end(),
                        {"/*!50003 commit */", "create table x(y int)", "set autocommit = 1",
                         "truncate authors", "set @a = 5--1; commit"});
    }
    for (const std::string& statement : statements) {
      const std::string told =
          run(where, "insert into authors values(1, 'x');\n" + statement + ";\nselect nonsense;\n");
      EXPECT_TRUE(told.starts_with("1 eider db: ")) << told;
      EXPECT_TRUE(told.contains("/01.sql:2: remove `")) << told;
      EXPECT_EQ(number(where, "select count(*) from authors"), 0) << database << statement;
    }
  }
}

TEST_F(SeedRuns, must_not_end_the_transaction_in_a_block_of_mariadb) {
  const Scratch scratch = scratch_for_seeds("mariadb");
  ASSERT_TRUE(scratch) << scratch.error();
  const std::string where = (*scratch)->where();
  for (const std::string statement :
       {"commit", "rollback", "start transaction", "create table x(y int)", "drop table authors",
        "truncate table authors", "set autocommit = 1", "/*!50003 commit */", "/*!50003 */ commit",
        "if 1 then commit; end if",
        "if 0 then set @a = 1; else commit; end "
        "if",
        "while 1 do commit; end while", "loop commit; end loop",
        "repeat commit; until 1 end repeat", "case 1 when 1 then commit; end case",
        "begin commit; end", "declare exit handler for sqlexception rollback; select x"}) {
    const std::string told = run(where,
                                 "begin not atomic\ninsert into authors values(1, 'x');\n"
                                 "begin " +
                                     statement + "; end;\nselect x; end;");
    EXPECT_TRUE(told.contains("/01.sql:3: remove `")) << told;
    EXPECT_EQ(number(where, "select count(*) from authors"), 0) << statement;
  }
}

TEST_F(SeedRuns, must_not_set_autocommit_of_mariadb) {
  const Scratch scratch = scratch_for_seeds("mariadb");
  ASSERT_TRUE(scratch) << scratch.error();
  for (const std::string statement :
       {"set autocommit\n= 0", "set autocommit /* x */ = 0", "set autocommit -- x\n:= 0",
        "set @a = 1, @b = 2, autocommit = 1", "set `autocommit` = 0", "set \"autocommit\" = 0",
        "SET SESSION Autocommit=0", "set @@autocommit = 0", "set @@session . autocommit = 0",
        "set @@local.`autocommit` = 0", "/*!50003 set autocommit = 0 */",
        "set /*!50003 autocommit */ = 0", "set @autocommit = 1, autocommit = 0"}) {
    const std::string told = run((*scratch)->where(), statement + ";");
    EXPECT_TRUE(told.contains("/01.sql:1: remove `")) << told;
  }
  for (const std::string statement :
       {"set @autocommit = 1", "set @`autocommit` = 1, @x = @@autocommit", "set @x = 'autocommit'",
        "set @\"autocommit\" := 1", "set @x = @@session.autocommit"}) {
    const std::string told = run((*scratch)->where(), statement + ";");
    EXPECT_EQ(told, "0 ") << statement;
  }
}

TEST_F(SeedRuns, may_have_words_of_transactions_where_they_end_none) {
  const std::vector<std::string> of_all = {
      "insert into authors values(7, 'commit')", "insert into authors(id, name) values(7, '; end')",
      "/* commit; */ insert into authors values(7, 'x') -- rollback;\n",
      "savepoint a; delete from authors; rollback to a; insert into authors values(7, 'x')",
      "savepoint a; delete from authors; rollback to savepoint a; insert into authors values(7, "
      "'x')"};
  const std::map<std::string, std::vector<std::string>> of_one = {
      {"sqlite",
       {"create temp trigger t after insert on authors begin update counters set n = case when n "
        "> 0 then n end; delete from counters where id = 9; end; insert into authors values(7, "
        "'x'); drop trigger t",
        "savepoint a; rollback transaction to savepoint a; insert into authors values(7, 'x')",
        "create temp table [commit](\"end\" int, `begin` int); insert into authors values(7, 'x'); "
        "drop table [commit]"}},
      {"postgres",
       {"do $$ begin insert into authors values(7, 'x'); end $$",
        "create function f() returns int begin atomic insert into authors values(7, 'x') "
        "returning case when id = 7 then 1 end; end; select f(); drop function f",
        "do $x$ begin perform 1; end; $x$; insert into authors values(7, E'\\';')",
        "savepoint a; rollback work to savepoint a; insert into authors values(7, 'x')",
        "/* /* ; commit; */ ; commit; */ insert into authors values(7, 'x')"}},
      {"mariadb",
       {"begin not atomic insert into authors values(7, 'x'); end",
        "begin not atomic declare i int default 1; declare continue handler for not found set i = "
        "2; savepoint a; if i then create temporary table c(`commit` int); drop temporary table c; "
        "end if; rollback to a; begin insert into authors values(7, 'commit'); end; end",
        "create or replace temporary table t(n int); drop temporary table t; insert into authors "
        "values(7, 'x')",
        "prepare s from 'select 1'; drop prepare s; insert into authors values(7, 'x')",
        "set @autocommit = 1, @x = @@autocommit; insert into authors values(7, 'x')",
        "analyze select * from authors; insert into authors values(7, 'x')",
        "/*!50003 begin not atomic insert into authors values(7, 'x'); end */",
        "# ; commit;\ninsert into authors values(7, 'x')"}}};
  for (const auto& [database, more] : of_one) {
    std::vector<std::string> all = of_all;
    all.insert(all.end(), more.begin(), more.end());
    const Scratch scratch = scratch_for_seeds(database);
    ASSERT_TRUE(scratch) << scratch.error();
    for (const std::string& seed : all) {
      // The first statement makes the seed repeatable.
      const std::string told = run((*scratch)->where(), "delete from authors;\n" + seed + ";\n");
      EXPECT_TRUE(told.starts_with("0 ")) << database << ": " << seed << ": " << told;
      EXPECT_EQ(number((*scratch)->where(), "select count(*) from authors where id = 7"), 1)
          << seed;
    }
  }
}

TEST_F(SeedRuns, store_nothing_in_tables_without_transactions) {
  const Scratch scratch = scratch_for_seeds(
      "mariadb",
      "create table old(n int) engine = MyISAM;\ncreate table Crashing(n int) engine = Aria;\n"
      "create table held(n int) engine = MEMORY;\ncreate table logged(n int);\n"
      "create table versioned(n int) engine = MyISAM with system versioning;\n"
      "create trigger t after insert on logged for each row insert into old values(new.n);\n"
      "create procedure p() insert into logged values(1);\n"
      "create view seen as select n from old;\n");
  ASSERT_TRUE(scratch) << scratch.error();
  const std::string where = (*scratch)->where();
  const std::string valid = "insert into authors values(1, 'x');\n";
  for (const std::string seed :
       {"insert into old values(1)", "replace into `OLD`(n) values(1)", "call p()",
        "insert into logged values(1)", "insert into seen values(1)",
        "/*!50003 insert into old values(1) */", "insert /*M!100100 into old */ values(1)",
        "/*!50003 call p() */"}) {
    const std::string told = run(where, valid + seed + ";\n");
    EXPECT_TRUE(told.contains("1 eider db: the table old has the engine MyISAM")) << told;
    EXPECT_TRUE(told.contains("Run alter table old engine = InnoDB")) << told;
    EXPECT_EQ(number(where, "select count(*) from authors"), 0) << seed;
    EXPECT_EQ(number(where, "select count(*) from old"), 0) << seed;
  }
  EXPECT_TRUE(run(where, "insert into crashing values(1);").contains("the engine Aria"));
  EXPECT_TRUE(run(where, "insert into versioned values(1);").contains("the engine MyISAM"));
  EXPECT_TRUE(run(where, "insert into held values(1);").contains("the engine MEMORY"));
  const std::string told = run(where, "insert ignore into authors values(1, 'old');");
  EXPECT_TRUE(told.starts_with("0 ")) << told;
}

TEST_F(SeedRuns, need_no_script_for_plain_statements) {
  const Scratch scratch = scratch_for_seeds("mariadb");
  ASSERT_TRUE(scratch) << scratch.error();
  const std::string where = (*scratch)->where();
  // A script allows multiple statements and disallows them afterwards: two commands of the session.
  const auto commands_after = [&](std::string_view seeds) {
    const std::string told = run(
        where, std::string(seeds) +
                   "update counters set n = (select variable_value from "
                   "information_schema.session_status where variable_name = 'Com_set_option');");
    EXPECT_TRUE(told.starts_with("0 ")) << told;
    return number(where, "select n from counters");
  };
  const std::int64_t commands = commands_after("");
  EXPECT_EQ(commands_after("insert ignore into authors values(1, 'a;b');\nreplace into authors "
                           "values(2, 'x');\nupdate counters set n = 1;\ndelete from authors;\n"),
            commands);
  EXPECT_EQ(commands_after("begin not atomic do 1; end;\n"), commands + 2);
}

TEST_F(SeedRuns, may_have_plain_statements_that_only_mariadb_reads) {
  const Scratch scratch = scratch_for_seeds("mariadb");
  ASSERT_TRUE(scratch) << scratch.error();
  for (const std::string seed : {"insert ignore into authors # it's\nvalues(7, 'x')",
                                 "insert ignore into authors /* /* */ values(7, 'x')"}) {
    const std::string told = run((*scratch)->where(), seed + ";");
    EXPECT_TRUE(told.starts_with("0 ")) << told;
  }
}

TEST_F(SeedRuns, that_change_rows_change_them_once) {
  for (const std::string database : {"sqlite", "postgres", "mariadb"}) {
    const Scratch scratch = scratch_for_seeds(database);
    ASSERT_TRUE(scratch) << scratch.error();
    const std::string where = (*scratch)->where();
    EXPECT_EQ(run(where, "update counters set n = n + 1;\n"),
              "0 counters: 0 rows added, 1 in the table\n");
    EXPECT_EQ(number(where, "select n from counters"), 2) << database;
  }
}

TEST_F(SeedRuns, that_add_rows_to_tables_that_they_do_not_mention_store_nothing) {
  const std::pair<const char*, const char*> hidden[] = {
      {"sqlite",
       "create table \"a.b\"(x integer);\ncreate table \"q\"\"t\"(x integer);\n"
       "create trigger t after update on counters begin insert into \"a.b\" values(1); "
       "insert into \"q\"\"t\" values(1); end;\n"},
      {"postgres",
       "create schema s;\ncreate table s.\"a.b\"(x integer);\n"
       "create function f() returns trigger language plpgsql as $$ begin "
       "insert into s.\"a.b\" values(1); return new; end $$;\n"
       "create trigger t after update on counters for each row execute function f();\n"},
      {"mariadb",
       "create table `q``t`(x integer);\ncreate trigger t after update on counters for each row "
       "insert into `q``t` values(1);\n"}};
  for (const auto& [database, more] : hidden) {
    const Scratch scratch = scratch_for_seeds(database, more);
    ASSERT_TRUE(scratch) << scratch.error();
    const std::string where = (*scratch)->where();
    const std::string told = run(where, "update counters set n = n + 1;\n");
    EXPECT_TRUE(told.starts_with("1 ")) << told;
    EXPECT_TRUE(told.contains("again when they run a second time")) << told;
    EXPECT_EQ(number(where, "select n from counters"), 1) << database;
  }
}

TEST_F(SeedRuns, must_be_utf8_without_nul) {
  const Scratch scratch = scratch_for_seeds("sqlite");
  ASSERT_TRUE(scratch) << scratch.error();
  const std::string where = (*scratch)->where();
  using namespace std::string_view_literals;
  const std::string begin = "insert into authors values(1, 'a');\n";
  for (const auto& [wrong, what] :
       {std::pair{"insert into authors values(2, 'Zo\xEB');\n"sv,
                  "01.sql:2: the file is not valid UTF-8: save it as UTF-8"sv},
        {"-- \0\n"sv, "01.sql:2: the file contains a NUL character"sv}}) {
    const std::string output = run(where, begin + std::string(wrong));
    EXPECT_TRUE(output.starts_with("1 ")) << output;
    EXPECT_TRUE(output.contains(what)) << output;
  }
  EXPECT_EQ(number(where, "select count(*) from authors"), 0);
  EXPECT_TRUE(run(where, "\xEF\xBB\xBFupdate counters set n = n;\n").starts_with("0 "));
}

}  // namespace
}  // namespace eider
