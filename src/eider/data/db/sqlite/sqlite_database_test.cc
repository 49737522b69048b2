// A database as a whole: transactions, its file, and concurrent use.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "eider/core/base/reached.h"
#include "eider/core/json/value.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

using db::FailureKind;

class SqliteDatabaseTest : public SqliteTest {};

struct Tagged {
  std::vector<std::string> tags;
  std::map<std::string, int> counts;
  std::optional<std::vector<int>> places;
};

TEST_F(SqliteDatabaseTest, what_is_no_scalar_is_json_in_its_column) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    const std::vector<std::string> tags{"a \"b\"", "c"};
    const std::map<std::string, int> counts{{"x", 1}};
    std::optional<Tagged> row =
        co_await base.one<Tagged>("select $1 as tags, $2 as counts, null as places", tags, counts);
    EXPECT_EQ(row->tags, tags);
    EXPECT_EQ(row->counts, counts);
    EXPECT_FALSE(row->places);
    const std::optional<std::string> text = co_await base.one<std::string>("select $1", tags);
    EXPECT_EQ(text, R"(["a \"b\"","c"])");
    const std::optional<int> there = co_await base.one<int>(
        "select count(*) from (select 'c' as tag) where tag in (select value from json_each($1))",
        tags);
    EXPECT_EQ(there, 1);
  }(db));
}

struct Anything {
  json::Value data;
};

TEST_F(SqliteDatabaseTest, a_json_number_is_read_although_its_column_stores_it_as_a_number) {
  const Database db = open_sqlite(path(), {.schema = "create table anything(data json)"});
  on_loop_.run([](Database base) -> Task<> {
    const std::vector<json::Value> values{
        5, -1.5, "5", "a", true, json::array({1, 2}), 1e300, json::object({{"a", 1}})};
    for (const json::Value& value : values) {
      const std::optional<Anything> stored = co_await base.one<Anything>(
          "insert into anything(data) values($1) returning data", value);
      EXPECT_EQ(stored->data, value) << json::to_text(value);
    }
    const auto all = co_await base.all<Anything>("select data from anything order by rowid");
    EXPECT_EQ(all.size(), values.size());
    EXPECT_EQ((co_await base.one<json::Value>("select 5")), json::Value(5));
    std::string message;
    try {
      co_await base.one<Tagged>("select 5 as tags, '{}' as counts, null as places");
    } catch (const db::Failure& failure) {
      message = failure.what();
    }
    EXPECT_TRUE(
        message.contains("\"tags\" is an integer, but the member Tagged::tags must be text"))
        << message;
  }(db));
}

TEST_F(SqliteDatabaseTest, json_of_another_shape_is_told_with_column_and_member) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    std::string told;
    try {
      co_await base.one<Tagged>("select '[1' as tags, '{}' as counts, null as places");
    } catch (const db::Failure& failure) {
      told = failure.what();
    }
    EXPECT_TRUE(told.contains(
        "\"tags\" is text, but the member Tagged::tags must be text with JSON of this type"))
        << told;
  }(db));
}

TEST_F(SqliteDatabaseTest, a_transaction_that_stays_open_for_too_long_is_rolled_back) {
  const Database db = open_sqlite(
      path(), {.schema = kSchema, .limits = {.transaction_time_max = std::chrono::seconds(1)}});
  on_loop_.run([](Database base) -> Task<> {
    Transaction transaction = co_await base.begin();
    co_await transaction.exec("insert into notes(title) values('a')");
    // Gets its turn when the other one has been rejected.
    co_await base.exec("insert into notes(title) values('b')");
    auto late = transaction.commit();
    EXPECT_EQ((co_await failure_of(late)).first, FailureKind::expired);
    EXPECT_EQ((co_await base.one<std::string>("select title from notes")), "b");
  }(db));
}

TEST_F(SqliteDatabaseTest, a_script_counts_as_a_whole_or_not_at_all) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.script("create table x(a); insert into x values(1); insert into x values(2);");
    EXPECT_EQ((co_await base.one<int>("select sum(a) from x")), 3);
    bool has_thrown = false;
    try {
      co_await base.script("create table y(a); insert into absent values(1);");
    } catch (const db::Failure&) {
      has_thrown = true;
    }
    EXPECT_TRUE(has_thrown);
    EXPECT_EQ((co_await base.one<int>("select count(*) from sqlite_master where name = 'y'")), 0);
  }(db));
}

struct OfTwoColumns {
  std::string one;
  std::string two;
};

TEST_F(SqliteDatabaseTest, columns_are_those_of_the_table_as_it_is_by_now) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.script("create table x(one, two); insert into x values('1', '2');");
    auto kept = co_await base.one<OfTwoColumns>("select * from x");
    EXPECT_EQ(kept->one + kept->two, "12");
    // The first step prepares the cached statement again.
    co_await base.script("drop table x; create table x(two, one); insert into x values('2', '1');");
    auto now = co_await base.one<OfTwoColumns>("select * from x");
    EXPECT_EQ(now->one + now->two, "12");
    co_await base.script("drop table x; create table x(three); insert into x values('x');");
    auto narrower = base.one<OfTwoColumns>("select * from x");
    const auto failure = co_await failure_of(narrower);
    EXPECT_TRUE(failure.second.contains("\"three\"")) << failure.second;
    auto number = base.one<int>("select * from x");
    const auto text = co_await failure_of(number);
    EXPECT_TRUE(text.second.contains("\"three\" is text")) << text.second;
    co_await base.script("drop table x; create table x(a_longer_name); insert into x values('x');");
    auto renamed = base.one<int>("select * from x");
    const auto last = co_await failure_of(renamed);
    EXPECT_TRUE(last.second.contains("\"a_longer_name\" is text")) << last.second;
  }(db));
}

TEST_F(SqliteDatabaseTest, a_database_in_memory_serves_reads_and_writes) {
  const Database db = open_sqlite(":memory:", {.schema = kSchema});
  on_loop_.run([](Database base) -> Task<> {
    co_await base.exec("insert into notes(title) values('a')");
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 1);
  }(db));
}

TEST_F(SqliteDatabaseTest, what_was_written_is_there_after_opening_again) {
  {
    const Database db = open();
    on_loop_.run([](Database base) -> Task<> {
      co_await base.exec("insert into notes(title) values('kept')");
    }(db));
  }
  const Database db = open_sqlite("sqlite:" + path());
  EXPECT_EQ(on_loop_.run([](Database base) -> Task<std::optional<std::string>> {
    co_return co_await base.one<std::string>("select title from notes");
  }(db)),
            "kept");
}

TEST_F(SqliteDatabaseTest, a_file_that_is_made_is_its_owners_alone_unless_told_otherwise) {
  namespace fs = std::filesystem;
  const ::mode_t umask_before = ::umask(022);
  const Database own = open();
  const Database shared = open_sqlite(path("shared.db"), {.schema = kSchema, .file_mode = 0644});
  {
    std::ofstream(path("there.db"));
  }
  const Database there = open_sqlite(path("there.db"), {.schema = kSchema});
  ::umask(umask_before);
  for (const char* const end : {"", "-wal", "-shm"}) {
    EXPECT_EQ(static_cast<unsigned>(fs::status(path() + end).permissions()), 0600U) << end;
    EXPECT_EQ(static_cast<unsigned>(fs::status(path("shared.db") + end).permissions()), 0644U);
    EXPECT_EQ(static_cast<unsigned>(fs::status(path("there.db") + end).permissions()), 0644U);
  }
}

TEST_F(SqliteDatabaseTest, its_threads_begin_with_the_first_statement) {
  const auto threads = [] {
    using Tasks = std::filesystem::directory_iterator;
    return std::distance(Tasks("/proc/self/task"), Tasks());
  };
  const auto before = threads();
  const Database db = open();
  EXPECT_EQ(threads(), before);
  on_loop_.run([](Database base) -> Task<> {
    co_await base.exec("insert into notes(title) values('a')");
  }(db));
  EXPECT_GT(threads(), before);
}

TEST_F(SqliteDatabaseTest, tells_what_comes_and_goes_beside_its_file) {
  const Database db = open();
  const auto told = eider::detail::base::reached_files();
  for (const char* const end : {"", "-wal", "-shm", "-journal"}) {
    const auto found =
        std::ranges::find(told, path() + end, &eider::detail::base::ReachedFile::path);
    EXPECT_TRUE(found != told.end() && found->is_written) << end;
  }
}

TEST_F(SqliteDatabaseTest, one_that_only_reads_makes_and_changes_nothing) {
  const SqliteOptions reading{.schema = "create table never(x)", .is_read_only = true};
  EXPECT_FALSE(try_open_sqlite(path("absent.db"), reading));
  EXPECT_FALSE(std::filesystem::exists(path("absent.db")));
  {
    const Database made = open();
  }
  const auto opened = try_open_sqlite(path(), reading);
  ASSERT_TRUE(opened) << opened.error();
  on_loop_.run([](Database base) -> Task<> {
    EXPECT_EQ(co_await base.one<int>("select count(*) from sqlite_schema where name = 'never'"), 0);
    try {
      co_await base.exec("delete from notes");
      ADD_FAILURE() << "it was written";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), db::FailureKind::storage) << failure.what();
    }
  }(*opened));
}

TEST_F(SqliteDatabaseTest, a_file_that_is_no_database_is_told_when_it_is_opened) {
  std::ofstream(path("text.db")) << std::string(4096, 'x');
  for (const bool is_read_only : {true, false}) {
    const auto opened = try_open_sqlite(path("text.db"), {.is_read_only = is_read_only});
    ASSERT_FALSE(opened);
    EXPECT_NE(
        opened.error().find(path("text.db") + ": file is not a database. The file is not an SQLite "
                                              "database: move it away, or use another path."),
        std::string::npos)
        << opened.error();
  }
}

TEST_F(SqliteDatabaseTest, what_cannot_be_opened_names_the_file_and_the_mend) {
  const struct {
    std::string path;
    const char* says;
  } kCases[] = {
      {path("absent/notes.db"), "Create its directory"},
      {temporary_.path(), "cannot open the database"},
      {"/proc/version", "cannot open the database /proc/version"},
  };
  for (const auto& [file, says] : kCases) {
    const auto opened = try_open_sqlite(file);
    ASSERT_FALSE(opened.has_value()) << file;
    EXPECT_NE(opened.error().find(file), std::string::npos) << opened.error();
    EXPECT_NE(opened.error().find(says), std::string::npos) << opened.error();
  }
}

TEST_F(SqliteDatabaseTest, several_may_make_a_file_at_once) {
  for (int i = 0; i < 50; ++i) {
    const std::string file = temporary_.path() / ("new" + std::to_string(i));
    std::vector<std::thread> makers;
    for (int maker = 0; maker < 4; ++maker) {
      makers.emplace_back([file] {
        const auto opened = try_open_sqlite(file, {.schema = "create table if not exists a(n)"});
        EXPECT_TRUE(opened.has_value()) << opened.error();
      });
    }
    for (std::thread& maker : makers) {
      maker.join();
    }
  }
}

TEST_F(SqliteDatabaseTest, a_file_of_another_kind_is_not_touched) {
  const std::string file = path("text.db");
  FILE* out = fopen(file.c_str(), "w");
  for (int i = 0; i < 100; ++i) {
    fputs("this is no database, but a text\n", out);
  }
  fclose(out);
  const auto opened = try_open_sqlite(file);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().find("The file is not an SQLite database"), std::string::npos)
      << opened.error();
  EXPECT_EQ(std::filesystem::file_size(file), 3200U);
}

TEST_F(SqliteDatabaseTest, a_schema_that_is_wrong_is_told_when_it_is_opened) {
  const auto opened = try_open_sqlite(path(), {.schema = "create tabel notes(id)"});
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().find("schema"), std::string::npos) << opened.error();
  EXPECT_NE(opened.error().find("tabel"), std::string::npos) << opened.error();
}

TEST_F(SqliteDatabaseTest, a_log_that_a_read_keeps_from_being_reused_is_told_of) {
  constexpr std::uint64_t kLarge = 5'000'000;  // more than usual: 1,000 pages and a commit
  std::vector<std::uint64_t> told;
  const Database db =
      open_sqlite(path(), {.schema = kSchema,
                           .on_large_log = [&told](std::uint64_t bytes) { told.push_back(bytes); },
                           .large_log_bytes = kLarge});
  const auto write_megabytes = [this, &db](int count) {
    on_loop_.run([](Database on, int times) -> Task<> {
      for (int i = 0; i < 10 * times; ++i) {
        co_await on.exec("insert into notes(title) values(hex(randomblob(50000)))");
      }
    }(db, count));
  };
  sqlite3* other = nullptr;  // like another process
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  sqlite3_exec(other, "begin; select count(*) from notes", nullptr, nullptr, nullptr);
  write_megabytes(15);
  ASSERT_GE(told.size(), 2U);
  EXPECT_LE(told.size(), 3U);
  EXPECT_GE(told[0], kLarge);
  EXPECT_GE(told[1], 2 * told[0]);
  EXPECT_GT(std::filesystem::file_size(path() + "-wal"), 2 * kLarge);
  const std::size_t before = told.size();
  sqlite3_close(other);
  write_megabytes(15);
  EXPECT_LE(std::filesystem::file_size(path() + "-wal"), kLarge) << "it is reused, and cut";
  EXPECT_LE(told.size(), before + 1);
}

TEST_F(SqliteDatabaseTest, a_task_that_is_dropped_while_it_waits_harms_nobody) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto add = [](Database to, int number) -> Task<> {
      co_await to.exec("insert into notes(title) values($1)", number);
    };
    auto hold = [](Database to) -> Task<> {
      Transaction transaction = co_await to.begin();
      co_await transaction.exec("insert into notes(title) values('held')");
      co_await sleep_for(std::chrono::seconds(60));
    };
    for (int i = 0; i < 200; ++i) {
      Scope scope;
      scope.start(hold(base));
      scope.start(add(base, i));
      if (i % 3 == 0) {
        co_await base.one<int>("select 1");
      }
      if (i % 7 == 0) {
        co_await yield_now();
      }
    }
    co_await base.exec("insert into notes(title) values('last')");
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes where title = 'held'")), 0);
  }(db));
}

TEST_F(SqliteDatabaseTest, a_loop_may_go_while_its_statements_are_still_under_way) {
  const Database db = open();
  for (int i = 0; i < 50; ++i) {
    std::vector<Task<>> left;
    TestLoop other;
    auto add = [](Database to, int number) -> Task<> {
      co_await to.exec("insert into notes(title) values($1)", number);
    };
    auto begin = [&](Database base) -> Task<> {
      for (int k = 0; k < 5; ++k) {
        left.push_back(add(base, i * 5 + k));
        left.back().start();
      }
      co_return;
    };
    other.run(begin(db));
    left.clear();
  }
}

TEST_F(SqliteDatabaseTest, a_reading_that_nobody_waits_for_is_interrupted) {
  // No limit would end this statement during the test.
  const Database db = open_sqlite(path(), {.readers = 1});
  on_loop_.run([](Database base) -> Task<> {
    auto count_forever = [](Database in) -> Task<> {
      co_await in.one<int>(
          "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
    };
    {
      Scope scope;
      scope.start(count_forever(base));
      co_await base.exec("create table t(a)");  // the reader has started when this is done
    }
    EXPECT_EQ((co_await base.one<int>("select 5")), 5);
  }(db));
}

}  // namespace
}  // namespace eider
