#include "eider/data/db/migrations/migrate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/data/db/mariadb/mariadb.h"
#include "eider/data/db/postgres/postgres.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/io/runtime/deadline.h"
#include "eider/testkit/temp_directory.h"
#include "eider/testkit/test_client.h"
#include "tests/support/mariadb_server.h"
#include "tests/support/postgres_server.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using Files = std::vector<MigrationFile>;

const Files kNotes = {
    {"0001_notes.sql", "create table notes(id integer primary key, title text not null);\n"},
    {"0001_notes.down.sql", "drop table notes;\n"},
    {"0002_stars.sql",
     "alter table notes add column stars integer not null default 0;\n"
     "create index notes_by_stars on notes(stars);\n"}};

Migrations made(const Files& files) {
  return make_migrations(files).value();
}

/// A fresh schema on each database.
class Schema : public ::testing::TestWithParam<db::Dialect> {
 protected:
  void SetUp() override {
    if (GetParam() == db::Dialect::postgres) {
      run(open_postgres(PostgresServer::shared().where()),
          "drop schema public cascade; create schema public");
    } else if (is_mariadb()) {
      run(open_mariadb(MariadbServer::shared().where()),
          "drop database test; create database test character set utf8mb4");
    }
  }

  [[nodiscard]] static bool is_mariadb() { return GetParam() == db::Dialect::mariadb; }

  [[nodiscard]] Database open() const {
    if (is_mariadb()) {
      return open_mariadb(MariadbServer::shared().where());
    }
    return GetParam() == db::Dialect::postgres
               ? open_postgres(PostgresServer::shared().where())
               : open_sqlite((directory_.path() / "notes.db").string());
  }
  void run(const Database& on, std::string sql) {
    loop_.run([](Database database, db::RuntimeSql text) -> Task<> {
      co_await database.script(text);
    }(on, db::RuntimeSql{std::move(sql)}));
  }
  [[nodiscard]] std::int64_t number(std::string sql) {
    return loop_.run([](Database database, db::RuntimeSql text) -> Task<std::int64_t> {
      co_return (co_await database.one<std::int64_t>(text)).value_or(-1);
    }(base_or_open(), db::RuntimeSql{std::move(sql)}));
  }
  /// Returns the number of applied migrations, such as "2", or the error.
  std::string up(const Files& files, MigrateOptions options = {}) {
    options.wait_max = 0s;
    auto read = make_migrations(files);
    if (!read) {
      return read.error();
    }
    const auto done = loop_.run(migrate(base_or_open(), std::move(*read), std::move(options)));
    return done ? std::to_string(*done) : done.error();
  }
  std::string down(const Files& files, MigrateOptions options = {}) {
    options.wait_max = 0s;
    const auto done = loop_.run(migrate_down(base_or_open(), made(files), std::move(options)));
    return done ? done->value_or("nothing") : done.error();
  }
  MigrationStatus status(const Files& files) {
    return loop_.run(migration_status(base_or_open(), made(files)));
  }
  [[nodiscard]] Database base_or_open() {
    if (base_ == nullptr) {
      base_ = std::make_unique<Database>(open());
    }
    return *base_;
  }

  TempDirectory directory_;
  TestLoop loop_;
  std::unique_ptr<Database> base_;
};

#define EXPECT_TOLD(told, begin) EXPECT_EQ((told).substr(0, std::string(begin).size()), begin)

TEST_P(Schema, is_brought_to_where_the_migrations_lead_and_stays) {
  EXPECT_EQ(up(kNotes), "2");
  EXPECT_EQ(up(kNotes), "0");
  EXPECT_EQ(number("select count(*) from notes where stars = 0"), 0);
  EXPECT_EQ(number("select count(*) from eider_migrations where ended is not null"), 2);
}

TEST_P(Schema, is_brought_as_far_as_asked_and_tells_each_step) {
  std::string told;
  EXPECT_EQ(up(kNotes, {.last = 1, .on_step = [&told](std::string_view name) { told += name; }}),
            "1");
  EXPECT_EQ(told, "0001_notes");
  EXPECT_EQ(up(kNotes), "1");
}

TEST_P(Schema, tells_what_is_applied_and_what_waits) {
  const MigrationStatus before = status(kNotes);
  ASSERT_EQ(before.all.size(), 2U);
  EXPECT_FALSE(before.all[0].applied.has_value());
  EXPECT_FALSE(before.is_current());
  EXPECT_EQ(up({kNotes[0]}), "1");
  const MigrationStatus between = status(kNotes);
  EXPECT_EQ(between.all[0].applied->size(), 20U);
  EXPECT_FALSE(between.all[1].applied.has_value());
  EXPECT_EQ(up(kNotes), "1");
  EXPECT_TRUE(status(kNotes).is_current());
}

TEST_P(Schema, goes_back_where_that_was_written) {
  EXPECT_EQ(up(kNotes), "2");
  EXPECT_TOLD(down(kNotes),
              "0002_stars.sql: [no_down] there is no script that undoes this migration");
  Files with_down = kNotes;
  with_down.push_back({"0002_stars.down.sql", is_mariadb()
                                                  ? "drop index notes_by_stars on notes;\n"
                                                    "alter table notes drop column stars;\n"
                                                  : "drop index notes_by_stars;\n"
                                                    "alter table notes drop column stars;\n"});
  EXPECT_EQ(down(with_down), "0002_stars");
  EXPECT_EQ(down(with_down), "0001_notes");
  EXPECT_EQ(down(with_down), "nothing");
  EXPECT_EQ(up(with_down), "2");
}

TEST_P(Schema, refuses_a_history_that_was_edited_and_says_what_changed) {
  EXPECT_EQ(up(kNotes), "2");
  Files edited = kNotes;
  edited[2].text =
      "alter table notes add column stars integer not null default 0;\n"
      "create index notes_by_stars on notes(stars, id);\n";
  const std::string told = up(edited);
  EXPECT_TOLD(told, "0002_stars.sql: [edited] the migration was applied on 2");
  EXPECT_NE(told.find("line 2 was 'create index notes_by_stars on notes(stars);', but is now "
                      "'create index notes_by_stars on notes(stars, id);'. Restore the file"),
            std::string::npos)
      << told;
  EXPECT_EQ(status(edited).errors, told);
  EXPECT_EQ(down(edited), told);
}

TEST_P(Schema, accepts_other_white_space_at_the_end_of_an_applied_file) {
  const Files written = {{"0001_a.sql", "create table a(i integer);\nselect 1;\n"},
                         {"0002_b.sql", "create table b(i integer)"}};
  EXPECT_EQ(up(written), "2");
  for (const char* const end : {"", "\n", "\r\n", "\n\n \t\n", "\r", "\f"}) {
    const std::string first = "create table a(i integer);\r\nselect 1;"s + end;
    const std::string second = "create table b(i integer)"s + end;
    const Files files = {{"0001_a.sql", first}, {"0002_b.sql", second}};
    EXPECT_EQ(up(files), "0") << end;
    EXPECT_TRUE(status(files).is_current()) << end;
  }
  // Within the text, and at its beginning, white space may be part of a value.
  EXPECT_TOLD(up({{"0001_a.sql", "create table a(i integer);\n\nselect 1;\n"}, written[1]}),
              "0001_a.sql: [edited] ");
  EXPECT_TOLD(up({{"0001_a.sql", "create table a(i integer); \nselect 1;\n"}, written[1]}),
              "0001_a.sql: [edited] ");
}

TEST_P(Schema, refuses_a_history_that_lost_was_renamed_or_grew_in_its_midst) {
  EXPECT_EQ(up(kNotes), "2");
  EXPECT_TOLD(up({kNotes[2]}), "0001_notes.sql: [missing] the migration was applied on 2");
  EXPECT_TOLD(up({kNotes[0]}), "0002_stars.sql: [missing] the migration was applied on 2");
  EXPECT_EQ(up({kNotes[0]}, {.accepts_newer = true}), "0");
  EXPECT_TOLD(up({kNotes[2]}, {.accepts_newer = true}), "0001_notes.sql: [missing]");
  EXPECT_TOLD(
      up({{"0001_texts.sql", kNotes[0].text}, kNotes[2]}),
      "0001_texts.sql: [renamed] the migration was applied as 0001_notes.sql: restore this name");
  EXPECT_EQ(up({{"0003_last.sql", "select 1"}, kNotes[0], kNotes[2]}), "1");
  EXPECT_TOLD(down({kNotes[0], kNotes[2]}), "0003_last.sql: [missing]");
}

TEST_P(Schema, refuses_a_number_below_what_was_applied) {
  EXPECT_EQ(up({{"0002_b.sql", "create table b(i integer)"}}), "1");
  EXPECT_TOLD(up({{"0001_a.sql", "select 1"}, {"0002_b.sql", "create table b(i integer)"}}),
              "0001_a.sql: [order] this migration is new, but 0002_b was already applied: "
              "use a higher number");
}

TEST_P(Schema, keeps_nothing_of_one_that_fails_and_all_ahead_of_it) {
  if (is_mariadb()) {
    GTEST_SKIP() << "its statements commit by themselves: MariadbSchema";
  }
  Files files = kNotes;
  files.push_back(
      {"0003_bad.sql", "-- why\ncreate table c(i integer);\n\ninsert into d values(1);\n"});
  EXPECT_TOLD(up(files), "0003_bad.sql:4: [failed] ");
  EXPECT_EQ(number("select count(*) from eider_migrations"), 2);
  files.back().text = "create table c(i integer);";
  EXPECT_EQ(up(files), "1");
}

TEST_P(Schema, refuses_to_end_its_transaction_itself) {
  EXPECT_TOLD(up({{"0001_a.sql", "create table a(i integer);\nCOMMIT;\n"}}),
              "0001_a.sql:2: [transaction] the migration already runs in a transaction: remove");
  EXPECT_EQ(up({{"0001_a.sql", "create table a(i integer);"}}), "1");
}

TEST_P(Schema, runs_outside_of_a_transaction_where_that_is_said) {
  EXPECT_EQ(up(kNotes), "2");
  const bool is_postgres = GetParam() == db::Dialect::postgres;
  const std::string text = std::string("-- eider: no transaction\n") +
                           (is_postgres    ? "create index concurrently i on notes(title);\n"
                                             "create index concurrently j on notes(title)"
                            : is_mariadb() ? "optimize table notes;\nanalyze table notes"
                                           : "vacuum;\npragma user_version = 7");
  Files files = kNotes;
  files.push_back({"0003_beside.sql", text});
  EXPECT_EQ(up(files), "1");
  EXPECT_EQ(number("select count(*) from eider_migrations where ended is not null"), 3);
}

TEST_P(Schema, reports_the_line_of_an_error_and_not_of_its_statement) {
  EXPECT_TOLD(up({{"0001_a.sql", "\\restrict aBc\n\nselect 1;\n"}}), "0001_a.sql:1: [psql] ");
  EXPECT_TOLD(up({{"0001_a.sql", "select 1;\n\\unrestrict aBc\n"}}), "0001_a.sql:2: [psql] ");
  const Files rows = {
      {"0001_a.sql", "select 1;\n-- why\ninsert into nowhere\n  select 1\n  frm a;\n"}};
  EXPECT_TOLD(up(rows), "0001_a.sql:5: [failed] ");
  // MariaDB keeps the first table.
  const Files tables = {{"0001_a.sql",
                         "create table a(i integer);\n\ncreate table b(\n  \xC3\xA4 integer,"
                         "\n  i integer,\n);\n"}};
  EXPECT_TOLD(up(tables), "0001_a.sql:6: [failed] ");
}

TEST_P(Schema, tells_of_one_outside_of_a_transaction_that_was_broken_off) {
  const Files files = {
      {"0001_a.sql",
       "-- eider: no transaction\ncreate table a(i integer);\ninsert into b values(1);"}};
  const std::string unfinished = "0001_a.sql: [unfinished] the migration was started on 2";
  EXPECT_TOLD(up(files), "0001_a.sql:3: [failed] ");
  EXPECT_TOLD(up(files), unfinished);
  EXPECT_TOLD(down(files), unfinished);
  EXPECT_TRUE(status(files).all.at(0).is_unfinished);
  run(base_or_open(), "create table b(i integer); drop table a");
  EXPECT_EQ(up(files, {.unfinished = MigrateOptions::Unfinished::rerun}), "1");
  run(base_or_open(), "update eider_migrations set ended = null");
  EXPECT_EQ(up(files, {.unfinished = MigrateOptions::Unfinished::mark_done}), "0");
  EXPECT_EQ(number("select count(*) from b"), 1);
  EXPECT_TRUE(status(files).is_current());
}

/// Undoing 0001 would lose a row, and undoing 0002 fails at its second statement.
const Files kBrokenBack = {
    {"0001_a.sql", "create table precious(i integer);\ninsert into precious values(1);\n"},
    {"0001_a.down.sql", "drop table precious;\n"},
    {"0002_b.sql", "create table b(i integer);\ncreate table c(i integer);\n"},
    {"0002_b.down.sql", "-- eider: no transaction\ndrop table b;\ndrop table nowhere;\n"}};

TEST_P(Schema, goes_on_with_a_way_back_that_was_broken_off_and_no_further) {
  EXPECT_EQ(up(kBrokenBack), "2");
  EXPECT_TOLD(down(kBrokenBack), "0002_b.down.sql:3: [failed] ");
  Files mended = kBrokenBack;
  mended.back().text = "-- eider: no transaction\ndrop table if exists b;\ndrop table c;\n";
  const std::string told = "0002_b.down.sql: [unfinished] the migration was started on 2";
  EXPECT_TOLD(up(mended, {.unfinished = MigrateOptions::Unfinished::rerun}), told);
  EXPECT_TOLD(up(mended, {.unfinished = MigrateOptions::Unfinished::mark_done}), told);
  EXPECT_TRUE(status(mended).all.at(1).is_unfinished);
  EXPECT_EQ(down(mended, {.unfinished = MigrateOptions::Unfinished::rerun}), "0002_b");
  EXPECT_EQ(number("select count(*) from precious"), 1);
  EXPECT_EQ(number("select count(*) from eider_migrations"), 1);
  EXPECT_EQ(up(mended), "1");
}

TEST_P(Schema, takes_a_way_back_as_done_and_goes_no_further) {
  EXPECT_EQ(up(kBrokenBack), "2");
  EXPECT_TOLD(down(kBrokenBack), "0002_b.down.sql:3: [failed] ");
  EXPECT_EQ(down(kBrokenBack, {.unfinished = MigrateOptions::Unfinished::mark_done}), "0002_b");
  EXPECT_EQ(number("select count(*) from precious"), 1);
  EXPECT_EQ(number("select count(*) from eider_migrations where ended is not null"), 1);
}

TEST_P(Schema, takes_a_mended_file_as_done_as_it_is_now) {
  Files files = {{"0001_a.sql",
                  "-- eider: no transaction\ncreate table a(i integer);\ninsert into b values(1)"}};
  EXPECT_TOLD(up(files), "0001_a.sql:3: [failed] ");
  files[0].text = "create table a(i integer);\n";
  EXPECT_EQ(up(files, {.unfinished = MigrateOptions::Unfinished::mark_done}), "0");
  EXPECT_TRUE(status(files).is_current()) << status(files).errors;
  EXPECT_EQ(up(files), "0");
}

TEST_P(Schema, refuses_each_word_that_ends_its_transaction_ahead_of_the_first_statement) {
  for (const std::string_view word : {"end", "End", "commit", "begin", "rollback"}) {
    for (const std::string_view marker : {"", "-- eider: no transaction"}) {
      const std::string text = std::string(marker) + "\ncreate table a(i integer);\n" +
                               std::string(word) + ";\ninsert into nowhere values(1);\n";
      EXPECT_TOLD(make_migrations(Files{{"0001_a.sql", text}}).error(),
                  "0001_a.sql:3: [transaction] ");
    }
  }
}

TEST_P(Schema, tells_what_is_refused_in_its_own_dialect_alone_before_it_is_applied) {
  const bool is_postgres = GetParam() == db::Dialect::postgres;
  if (is_mariadb()) {
    const Files after_body = {{"0001_a.sql",
                               "create procedure p()\nbegin\n  select 1;\nend\n;\n/*!50003 SET "
                               "sql_mode = '' */ ;\nselect 1;\n/*!50003 commit */;\n"}};
    EXPECT_TOLD(status(after_body).errors, "0001_a.sql:8: [transaction]");
    EXPECT_EQ(up(after_body), status(after_body).errors);
    return;
  }
  const Files files = {{"0001_a.sql", is_postgres ? "select $$ ' $$;\nend;"
                                                  : "create table a(i integer, \"$$\" text);\n"
                                                    "select 1 as [x';y];\nend;\nselect '';"}};
  const MigrationStatus told = status(files);
  EXPECT_TOLD(told.errors, is_postgres ? "0001_a.sql:2: [tran" : "0001_a.sql:3: [tran");
  EXPECT_EQ(up(files), told.errors);
}

TEST_P(Schema, tells_a_cause_without_the_statement) {
  const std::string text = "insert into nowhere values('geheim" + std::string(100'000, 'x') + "')";
  const std::string told = up({{"0001_a.sql", text}});
  EXPECT_TOLD(told, "0001_a.sql:1: [failed] ");
  EXPECT_EQ(told.find("geheim"), std::string::npos);
  EXPECT_LT(told.size(), 600U);
}

TEST_P(Schema, says_that_a_table_of_that_name_is_anothers) {
  run(base_or_open(), "create table eider_migrations(mine integer)");
  const std::string told = "eider_migrations: [history] a table of this name exists";
  EXPECT_TOLD(status(kNotes).errors, told);
  EXPECT_TOLD(up(kNotes), told);
}

TEST_P(Schema, reads_the_text_of_what_was_edited_alone) {
  EXPECT_EQ(up(kNotes), "2");
  // A statement that reads this text would fail.
  run(base_or_open(), is_mariadb() ? "alter table eider_migrations rename column `sql` to other"
                                   : "alter table eider_migrations rename column sql to other");
  EXPECT_TRUE(status(kNotes).is_current());
}

/// Each deployer has its own thread, loop and database, as separate processes do.
TEST_P(Schema, lets_one_of_several_deployers_apply_each) {
  Files files = {{"0001_log.sql", "create table log(i integer primary key)"}};
  std::vector<std::string> texts;
  for (int i = 2; i < 20; ++i) {
    texts.push_back("000" + std::to_string(i) + "_x.sql");
    texts.push_back("insert into log values(" + std::to_string(i) + ")");
  }
  for (std::size_t i = 0; i < texts.size(); i += 2) {
    files.push_back({texts[i], texts[i + 1]});
  }
  std::vector<std::string> told(4);
  {
    std::vector<std::jthread> deployers;
    for (std::string& one : told) {
      deployers.emplace_back([this, &one, &files] {
        TestLoop loop;
        const auto done = loop.run(migrate(open(), made(files)));
        one = done ? std::to_string(*done) : done.error();
      });
    }
  }
  std::size_t sum = 0;
  for (const std::string& one : told) {
    sum += std::stoul("0" + one);
    EXPECT_EQ(one.find('['), std::string::npos) << one;
  }
  EXPECT_EQ(sum, 19U);
  EXPECT_EQ(number("select count(*) from log"), 18);
}

TEST_P(Schema, is_waited_for_while_another_deployer_holds_it) {
  const auto hold = [](Database mine, Database other, Migrations migrations) -> Task<std::string> {
    Transaction transaction = co_await other.begin();
    if (other.dialect() == db::Dialect::mariadb) {
      (void)co_await transaction.one<int>(
          "select get_lock(concat('eider_db_', left(sha2(database(), 256), 32)), 1)");
    } else if (other.dialect() == db::Dialect::postgres) {
      (void)co_await transaction.one<bool>("select pg_try_advisory_xact_lock($1)",
                                           std::int64_t{0x6569'6465'725f'6462});
    }
    const auto refused = co_await migrate(mine, migrations, {.wait_max = 0s});
    co_await transaction.roll_back();
    const auto done = co_await migrate(mine, migrations);
    co_return refused.error() + " " + std::to_string(done.value());
  };
  const Database other = open();
  if (GetParam() == db::Dialect::sqlite) {
    const auto file = (directory_.path() / "notes.db").string();
    base_ = std::make_unique<Database>(open_sqlite(file, {.busy_time_max = 0s}));
  }
  const std::string told = loop_.run(hold(base_or_open(), other, made(kNotes)));
  EXPECT_TOLD(told, "eider_migrations: [locked] another migration run or another writer");
  EXPECT_TRUE(told.ends_with(" 2"));
}

TEST_P(Schema, is_there_ahead_of_the_first_request_by_choice) {
  SchemaModule module(base_or_open(), made(kNotes));
  module.settings.at_start = false;
  const auto refused = loop_.run(module.start());
  EXPECT_TOLD(refused.error().cause(),
              "error[migration-failed]: 0001_notes.sql: [pending] the migration has not been "
              "applied: run eider db up");
  EXPECT_FALSE(status(kNotes).all.at(0).applied.has_value());
}

INSTANTIATE_TEST_SUITE_P(Each, Schema,
                         ::testing::Values(db::Dialect::sqlite, db::Dialect::postgres,
                                           db::Dialect::mariadb),
                         [](const auto& one) {
                           return one.param == db::Dialect::sqlite     ? "sqlite"
                                  : one.param == db::Dialect::postgres ? "postgres"
                                                                       : "mariadb";
                         });

TEST(SchemaModule, starts_with_the_app) {
  App app;
  const Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  app.add_module<SchemaModule>(database, made(kNotes));
  app.state(database);
  app.get("/count", [](State<Database> on) -> Task<std::int64_t> {
    co_return (co_await on->one<std::int64_t>("select count(*) from notes")).value_or(-1);
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/count").body, "0");
}

/// Tests for PostgreSQL only, on a fresh schema.
class PostgresSchema : public Schema {};

TEST_P(PostgresSchema, notes_each_where_the_first_was_noted_whatever_is_searched_first) {
  const Files files = {{"0001_a.sql", "create table a(x int);"},
                       {"0002_b.sql",
                        "create schema if not exists app; set search_path to app; "
                        "create table if not exists app.b(x int);"},
                       {"0003_c.sql", "create table public.c(x int);"}};
  run(base_or_open(), "drop schema if exists app cascade");
  EXPECT_EQ(up(files), "3");
  EXPECT_EQ(up(files), "0");
  EXPECT_EQ(number("select count(*) from public.eider_migrations"), 3);
  EXPECT_EQ(number("select count(*) from pg_class where relname = 'eider_migrations'"), 1);
}

TEST_P(PostgresSchema, begins_with_what_a_dump_says) {
  const Files files = {{"0001_a.sql",
                        "select pg_catalog.set_config('search_path', '', false);\n"
                        "create table public.a(x int);"},
                       {"0002_b.sql", "create table b(x int);"}};
  EXPECT_EQ(up(files), "2");
  EXPECT_EQ(up(files), "0");
  EXPECT_EQ(number("select count(*) from public.b"), 0);
}

TEST_P(PostgresSchema, reports_the_line_of_an_error_in_a_block) {
  const auto line_of_error = [this](std::string_view text) {
    const std::string message = up({{"0001_a.sql", text}});
    return message.substr(0, message.find(']') + 1);
  };
  EXPECT_EQ(line_of_error("select 1;\n\ndo $$\nbegin\n  raise exception 'x';\nend $$;\n"),
            "0001_a.sql:5: [failed]");
  EXPECT_EQ(line_of_error("do -- why\nlanguage plpgsql\n$x$ begin\n  perform\n    1/0;\nend $x$"),
            "0001_a.sql:4: [failed]");
  EXPECT_EQ(line_of_error("DO '\nbegin\n  perform 1/0;\nend' language 'plpgsql';"),
            "0001_a.sql:3: [failed]");
  EXPECT_EQ(line_of_error("do language 'plpgsql'\n$$\nbegin\n  perform 1/0;\nend $$;"),
            "0001_a.sql:4: [failed]");
  // In the second of two equal statements, which is written in several lines.
  EXPECT_EQ(line_of_error("do $$\nbegin\n  if false then\n    insert into\n      a values (1);\n  "
                          "end if;\n  insert into\n      a values (1);\nend $$;"),
            "0001_a.sql:8: [failed]");
  EXPECT_EQ(line_of_error("do $$\nbegin\n\n  execute 'insert\n into a values (1)';\nend $$;"),
            "0001_a.sql:5: [failed]");
  EXPECT_EQ(line_of_error("do $$\nbegin\n  execute format('insert into %I\n(b) values (1)', 'a');"
                          "\nend $$;"),
            "0001_a.sql:3: [failed]");
  const std::string_view inner =
      "create function f() returns void language plpgsql as $$\nbegin\n\n\n\n  perform 1/0;\nend "
      "$$;\ndo $$\nbegin\n  perform f();\nend $$;";
  EXPECT_EQ(line_of_error(inner), "0001_a.sql:10: [failed]");
  EXPECT_EQ(line_of_error("do $$\nbegin\n  execute 'do $x$\n\n begin raise exception "
                          "''inline_code_block line 99''; end $x$';\nend $$;"),
            "0001_a.sql:3: [failed]");
  EXPECT_EQ(line_of_error("do $$\ndeclare\n  a nonexist;\nbegin\nend $$;"),
            "0001_a.sql:3: [failed]");
}

TEST_P(PostgresSchema, refuses_to_prepare_its_transaction) {
  EXPECT_TOLD(up({{"0001_a.sql",
                   "create table a(x int);\nprepare q as select '[' ;\n"
                   "prepare transaction 'x';"}}),
              "0001_a.sql:3: [transaction] the migration already runs in a transaction");
}

INSTANTIATE_TEST_SUITE_P(Only, PostgresSchema, ::testing::Values(db::Dialect::postgres),
                         [](const auto&) { return "postgres"; });

TEST(SqliteSchema, is_opened_while_another_deployer_writes_and_waited_for_then) {
  TestLoop loop;
  const TempDirectory directory;
  const std::string file = (directory.path() / "notes.db").string();
  const auto wait = [](Database writes, std::string path) -> Task<std::string> {
    Transaction transaction = co_await writes.begin();
    const Database mine = open_sqlite(path, {.busy_time_max = 0s});
    const auto refused = co_await migrate(mine, made(kNotes), {.wait_max = 0s});
    co_await transaction.roll_back();
    const auto done = co_await migrate(mine, made(kNotes));
    co_return refused.error() + " " + std::to_string(done.value());
  };
  const std::string told = loop.run(wait(open_sqlite(file), file));
  EXPECT_TOLD(told, "eider_migrations: [locked] ");
  EXPECT_TRUE(told.ends_with(" 2"));
}

TEST(SqliteSchema, makes_a_table_anew_without_losing_what_refers_to_it) {
  TestLoop loop;
  const Database base = open_sqlite(":memory:");
  const Files first = {{"1_a.sql",
                        "create table a(id integer primary key, old text);\n"
                        "create table b(a integer references a(id) on delete cascade);\n"
                        "insert into a values(1, 'x');\ninsert into b values(1);\n"}};
  Files anew = first;
  anew.push_back({"2_b.sql",
                  "-- eider: no foreign keys\ncreate table c(id integer primary key);\n"
                  "insert into c select id from a;\ndrop table a;\nalter table c rename to a;\n"});
  EXPECT_EQ(loop.run(migrate(base, made(anew))).value(), 2U);
  const auto count = [](Database on, db::RuntimeSql sql) -> Task<std::int64_t> {
    co_return (co_await on.one<std::int64_t>(sql)).value_or(-1);
  };
  EXPECT_EQ(loop.run(count(base, {"select count(*) from b"})), 1);
  EXPECT_EQ(loop.run(count(base, {"pragma foreign_keys"})), 1);
  anew.push_back({"3_c.sql", "-- eider: no foreign keys\ndelete from a;\n"});
  const auto broken = loop.run(migrate(base, made(anew)));
  EXPECT_TOLD(broken.error(), "3_c.sql:1: [foreign_keys] 1 rows have invalid foreign keys");
  EXPECT_EQ(loop.run(count(base, {"select count(*) from a"})), 1);
  EXPECT_EQ(loop.run(count(base, {"pragma foreign_keys"})), 1);
}

TEST(SqliteSchema, has_its_foreign_keys_on_wherever_a_migration_without_them_is_given_up) {
  TestLoop loop;
  const Files slow = {{"1_a.sql",
                       "-- eider: no foreign keys\ncreate table a(i integer);\n"
                       "insert into a with recursive n(i) as (select 1 union all select i + 1 "
                       "from n where i < 200000) select i from n;\n"}};
  for (const auto time : {0ms, 1ms, 2ms, 5ms, 10ms, 20ms, 40ms}) {
    const Database base = open_sqlite(":memory:");
    const auto give_up = [](Database on, Migrations migrations, Duration within) -> Task<int> {
      (void)co_await with_deadline(migrate(on, std::move(migrations)), within);
      co_return (co_await on.one<int>("pragma foreign_keys")).value_or(-1);
    };
    EXPECT_EQ(loop.run(give_up(base, made(slow), time)), 1) << time;
  }
}

/// Returns the error of a start, or "started". Checks that it does not wait longer than necessary
/// to connect.
std::string start_on(Database database) {
  TestLoop loop;
  SchemaModule module(std::move(database), make_migrations(kNotes).value());
  const auto begun = std::chrono::steady_clock::now();
  const Result<void> started = loop.run(module.start());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::minutes(5));
  return started ? "started" : started.error().cause();
}

// Without SchemaModule, a statement would wait for ten minutes.
TEST(SchemaStart, reports_at_once_why_there_is_no_connection) {
  const std::string port = std::to_string(PostgresServer::shared().port());
  for (const auto& [where, why] :
       {std::pair("host=127.0.0.1 user=tester dbname=absent port=" + port,
                  "database \"absent\" does not exist"),
        std::pair("host=localhost user=tester dbname=absent port=" + port, "does not exist"),
        std::pair("host=127.0.0.1 user=absent dbname=postgres port=" + port,
                  "role \"absent\" does not exist"),
        std::pair("host=127.0.0.1 user=tester dbname=postgres port=1"s, "refused")}) {
    const std::string reported = start_on(open_postgres(where, {.wait_time_max = 10min}));
    EXPECT_TRUE(reported.starts_with(
        "error[database-unreachable]: The database cannot be used: cannot connect to "))
        << reported;
    EXPECT_TRUE(reported.contains(why)) << reported;
  }
  const std::string reported =
      start_on(open_mariadb("mysql://absent:wrong@127.0.0.1:1/test", {.wait_time_max = 10min}));
  EXPECT_TRUE(reported.starts_with("error[database-unreachable]: The database cannot be used: "))
      << reported;
}

}  // namespace
}  // namespace eider
