#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "eider/data/db/migrations/migrate.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using Files = std::vector<MigrationFile>;
using Unfinished = MigrateOptions::Unfinished;

/// Tests for MariaDB only, where each statement that changes a schema commits implicitly.
class MariadbSchema : public MariadbTest {
 protected:
  void SetUp() override {
    script(open(), "drop database test; create database test character set utf8mb4");
  }

  /// Returns the number of applied migrations, such as "2", or the error.
  std::string up(const Database& base, const Files& files, MigrateOptions options = {}) {
    options.wait_max = 0s;
    const auto done =
        on_loop_.run(migrate(base, make_migrations(files).value(), std::move(options)));
    return done ? std::to_string(*done) : done.error();
  }
  [[nodiscard]] bool is_unfinished(const Files& files) {
    const MigrationStatus status =
        on_loop_.run(migration_status(open(), make_migrations(files).value()));
    return status.all.back().is_unfinished;
  }
  /// Waits until a session executes `statement`, and returns its ID; called on another thread.
  static std::int64_t session_at(std::string statement) {
    TestLoop loop;
    return loop.run([](Database on, std::string what) -> Task<std::int64_t> {
      std::optional<std::int64_t> id;
      while (!id) {
        id = co_await on.one<std::int64_t>(
            "select id from information_schema.processlist where info = $1", what);
      }
      co_return *id;
    }(open(), std::move(statement)));
  }
};

TEST_F(MariadbSchema, shows_the_place_of_a_syntax_error) {
  const std::string told = up(open(), {{"0001_a.sql", "selct 'a' from b;\n"}});
  EXPECT_TRUE(told.contains(" near 'selct' (1064, 42000)")) << told;
}

TEST_F(MariadbSchema, tells_what_stands_of_one_that_breaks_in_its_midst_and_how_to_mend) {
  Files files = {{"0001_a.sql", "create table a(i integer);\n\ninsert into d values(1);\n"}};
  const std::string told = up(open(), files);
  EXPECT_TRUE(told.starts_with("0001_a.sql:3: [failed] MariaDB: Table '")) << told;
  EXPECT_TRUE(told.contains(".d' doesn't exist (1146, 42S02); ")) << told;
  EXPECT_TRUE(told.contains("the statements before that line took effect and remain. ")) << told;
  EXPECT_TRUE(told.contains("eider db up --unfinished rerun")) << told;
  EXPECT_EQ(number(open(), "select count(*) from a"), 0);
  EXPECT_TRUE(
      up(open(), files).starts_with("0001_a.sql: [unfinished] the migration was started on 2"));
  files[0].text = "create table if not exists a(i integer);\ninsert into a values(1);\n";
  EXPECT_EQ(up(open(), files, {.unfinished = Unfinished::rerun}), "1");
  EXPECT_EQ(number(open(), "select count(*) from a"), 1);
  EXPECT_FALSE(is_unfinished(files));
}

TEST_F(MariadbSchema, takes_back_all_of_one_that_changes_rows_alone) {
  Files files = {{"0001_a.sql", "create table a(i integer)"},
                 {"0002_b.sql", "insert into a values(1);\ninsert into nowhere values(1);\n"}};
  const std::string told = up(open(), files);
  EXPECT_TRUE(told.starts_with("0002_b.sql:2: [failed] ")) << told;
  EXPECT_FALSE(told.contains("stays")) << told;
  EXPECT_EQ(number(open(), "select count(*) from a"), 0);
  files[1].text = "insert into a values(1);\ninsert into a values(2);\n";
  EXPECT_EQ(up(open(), files), "1");
  EXPECT_EQ(number(open(), "select cast(sum(i) as signed) from a"), 3);
}

TEST_F(MariadbSchema, has_triggers_and_procedures_whose_bodies_are_several_statements) {
  const Files files = {
      {"0001_a.sql",
       "create table a(i integer);\n"
       "create trigger t before insert on a for each row\nbegin\n  if new.i < 0 then\n    set "
       "new.i "
       "= 0;\n  end if;\n  set new.i = new.i + 1;\nend;\n"
       "create procedure p(n integer)\nbegin\n  while n > 0 do\n    insert into a values(n);\n    "
       "set n = n - 1;\n  end while;\nend;\ncall p(2);\n"}};
  EXPECT_EQ(up(open(), files), "1");
  EXPECT_EQ(number(open(), "select cast(sum(i) as signed) from a"), 5);
}

TEST_F(MariadbSchema, keeps_what_a_migration_sets_to_its_end_and_no_further) {
  const Files files = {{"0001_a.sql",
                        "create table a(id integer primary key);\n"
                        "create table b(a integer references a(id));\n"
                        "set foreign_key_checks = 0;\ndrop table a;\n"
                        "set sql_mode = '';\ncreate table a(id integer primary key);\n"},
                       {"0002_b.sql", "insert into a values(@@foreign_key_checks)"}};
  EXPECT_EQ(up(open(), files), "2");
  EXPECT_EQ(number(open(), "select id from a"), 1);
}

TEST_F(MariadbSchema, is_a_database_of_any_name_and_of_one) {
  const std::string name = "we`ird \"x'; drop";
  script(open(), "create database if not exists `we``ird \"x'; drop`");
  std::string where = MariadbServer::shared().where();
  where.replace(where.find("/test?"), 6, "/we%60ird%20%22x'%3B%20drop?");
  EXPECT_EQ(up(open_at(where), {{"0001_a.sql", "create table a(i integer)"}}), "1");
  EXPECT_EQ(up(open_at(where), {{"0001_a.sql", "create table a(i integer)"}}), "0");
  EXPECT_EQ(number(open_at(where), "select count(*) from eider_migrations"), 1);
  script(open(), "drop database `we``ird \"x'; drop`");
  where.replace(where.find("/we%60"), where.find('?') - where.find("/we%60"), "/");
  EXPECT_TRUE(up(open_at(where), {{"0001_a.sql", "select 1"}})
                  .starts_with("eider_migrations: [history] no database is selected"));
}

/// The server ends the session of the deployer while its migration runs.
TEST_F(MariadbSchema, is_unfinished_where_the_server_cuts_its_deployer_off) {
  const Files files = {{"0001_a.sql", "create table a(i integer);\ndo sleep(60);\n"}};
  std::jthread killer([] {
    const std::int64_t id = session_at("do sleep(60)");
    TestLoop loop;
    loop.run([](Database on, db::RuntimeSql sql) -> Task<> {
      co_await on.exec(sql);
    }(open(), db::RuntimeSql{"kill " + std::to_string(id)}));
  });
  const std::string told = up(open(), files);
  EXPECT_TRUE(told.starts_with("0001_a.sql:2: [failed] ")) << told;
  EXPECT_TRUE(is_unfinished(files));
  EXPECT_TRUE(up(open(), files).starts_with("0001_a.sql: [unfinished]"));
  EXPECT_EQ(up(open(), files, {.unfinished = Unfinished::mark_done}), "0");
}

TEST_F(MariadbSchema, is_unfinished_where_the_server_stands_still) {
  const Files files = {{"0001_a.sql", "create table a(i integer);\ndo sleep(1.25);\n"}};
  std::jthread freezer([] {
    (void)session_at("do sleep(1.25)");
    MariadbServer::shared().signal(SIGSTOP);
  });
  const std::string told =
      up(open({.limits = {.statement_time_max = 3s, .transaction_time_max = 3s}}), files);
  freezer.join();
  MariadbServer::shared().signal(SIGCONT);
  EXPECT_TRUE(told.starts_with("0001_a.sql:2: [failed] ")) << told;
  EXPECT_TRUE(is_unfinished(files));
}

}  // namespace
}  // namespace eider
