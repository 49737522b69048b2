#include "eider/db/sqlite/sqlite.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "eider/reflect/constraints.h"
#include "eider/runtime/scope.h"
#include "eider/runtime/sleep.h"
#include "tests/support/on_loop.h"

namespace eider {
namespace {

using db::FailureKind;

constexpr const char* kSchema =
    "create table if not exists notes(id integer primary key, title text not null unique, "
    "stars integer check(stars between 0 and 5)); "
    "create table if not exists marks(note integer not null references notes(id), text text);";

enum class Colour : std::uint8_t { red, green };

struct Note {
  std::int64_t id;
  std::string title;
  std::optional<int> stars;
};

/// A directory of its own, gone at the end.
class SqliteTest : public ::testing::Test {
 protected:
  SqliteTest() {
    char name[] = "/tmp/eider-sqlite-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~SqliteTest() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const char* name = "test.db") const {
    return directory_ + "/" + name;
  }
  [[nodiscard]] Database open() const { return open_sqlite(path(), {.schema = kSchema}); }

  OnLoop on_loop_;
  std::string directory_;
};

/// What the awaited thing fails with, by its kind and its text.
template <class Pending>
Task<std::pair<FailureKind, std::string>> failure_of(Pending& pending) {
  try {
    (void)co_await pending;
  } catch (const db::Failure& failure) {
    co_return std::pair(failure.kind(), std::string(failure.what()));
  }
  co_return std::pair(FailureKind::open, std::string("no failure"));
}

TEST_F(SqliteTest, rows_come_back_as_structs) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    const db::Changed first =
        co_await base.exec("insert into notes(title, stars) values($1, $2)", "one", 5);
    EXPECT_EQ(first.rows, 1);
    EXPECT_EQ(first.last_insert_id, 1);
    co_await base.exec("insert into notes(title, stars) values($2, $1)", std::nullopt,
                       std::string("two; drop table notes --'"));
    const std::vector<Note> notes =
        co_await base.all<Note>("select id, title, stars from notes order by id");
    EXPECT_EQ(notes.size(), 2U);
    EXPECT_EQ(notes.at(0).title, "one");
    EXPECT_EQ(notes.at(0).stars, 5);
    EXPECT_EQ(notes.at(1).title, "two; drop table notes --'");
    EXPECT_EQ(notes.at(1).stars, std::nullopt);
    const db::Changed changed = co_await base.exec("update notes set stars = 1");
    EXPECT_EQ(changed.rows, 2);
    EXPECT_EQ(changed.last_insert_id, 0);
  }(db));
}

TEST_F(SqliteTest, one_gives_a_row_or_nothing_and_refuses_two) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 0);
    EXPECT_FALSE((co_await base.one<Note>("select * from notes where id = $1", 7)).has_value());
    EXPECT_EQ((co_await base.one<std::string>("select 'text'")), "text");
    EXPECT_EQ((co_await base.one<bool>("select exists(select 1)")), true);
    auto two = base.one<int>("select 1 union select 2");
    const auto failure = co_await failure_of(two);
    EXPECT_EQ(failure.first, FailureKind::row);
  }(db));
}

TEST_F(SqliteTest, a_statement_that_writes_and_gives_rows_finds_the_writer) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    const std::optional<Note> note = co_await base.one<Note>(
        "insert into notes(title) values($1) returning id, title, stars", "new");
    EXPECT_EQ(note.value().id, 1);
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 1);
  }(db));
}

TEST_F(SqliteTest, values_of_all_kinds_come_back_as_they_were) {
  const Database db = open();
  struct All {
    bool yes;
    std::int64_t least;
    std::uint32_t number;
    double real;
    std::string text;
    db::Blob blob;
    Colour colour;
    std::optional<std::string> absent;
    Range<int, 0, 9> range;
  };
  on_loop_.run([](Database base) -> Task<> {
    const std::string text("a\0b\xC3\xA9", 5);
    const db::Blob blob{std::byte{0}, std::byte{255}};
    const std::optional<std::string> nothing;
    const std::optional<All> row = co_await base.one<All>(
        "select $1 as yes, $2 as least, $3 as number, $4 as real, $5 as text, $6 as blob, "
        "$7 as colour, $8 as absent, $9 as range",
        true, std::numeric_limits<std::int64_t>::min(), 4000000000U, 0.1, text, blob, Colour::green,
        nothing, Range<int, 0, 9>(3));
    EXPECT_TRUE(row->yes);
    EXPECT_EQ(row->least, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(row->number, 4000000000U);
    EXPECT_EQ(row->real, 0.1);
    EXPECT_EQ(row->text, text);
    EXPECT_EQ(row->blob, blob);
    EXPECT_EQ(row->colour, Colour::green);
    EXPECT_EQ(row->absent, std::nullopt);
    EXPECT_EQ(row->range, 3);
  }(db));
}

TEST_F(SqliteTest, rows_without_a_struct_are_read_by_name) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    const std::vector<db::Row> rows = co_await base.all<db::Row>("select 1 as a, 'x' as b, null");
    EXPECT_EQ(rows.at(0)["a"].integer(), 1);
    EXPECT_EQ(*rows.at(0)["b"].text(), "x");
    EXPECT_TRUE(rows.at(0)[2].is_null());
    EXPECT_THROW((void)rows.at(0)["c"], db::Failure);
  }(db));
}

TEST_F(SqliteTest, a_broken_constraint_is_told_from_another) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.exec("insert into notes(title) values('a')");
    auto unique = base.exec("insert into notes(title) values('a')");
    auto missing = base.exec("insert into notes(title) values($1)", nullptr);
    auto check = base.exec("insert into notes(title, stars) values('b', $1)", 6);
    auto foreign = base.exec("insert into marks(note) values(99)");
    const auto unique_failure = co_await failure_of(unique);
    EXPECT_EQ(unique_failure.first, FailureKind::unique);
    EXPECT_NE(unique_failure.second.find("notes.title"), std::string::npos);
    EXPECT_EQ((co_await failure_of(missing)).first, FailureKind::not_null);
    EXPECT_EQ((co_await failure_of(check)).first, FailureKind::check);
    EXPECT_EQ((co_await failure_of(foreign)).first, FailureKind::foreign_key);
  }(db));
}

TEST_F(SqliteTest, what_a_constraint_broke_is_a_409_that_names_nothing_inside) {
  const db::Failure failure(FailureKind::unique, "UNIQUE constraint failed: notes.title");
  EXPECT_EQ(failure.error().status(), 409);
  EXPECT_EQ(failure.error().detail().find("notes"), std::string::npos);
  EXPECT_EQ(std::string(failure.what()), "UNIQUE constraint failed: notes.title");
}

TEST_F(SqliteTest, a_statement_put_together_at_run_time_is_checked_when_it_is_run) {
  const Database db = open();
  const struct {
    const char* sql;
    FailureKind kind;
  } kCases[] = {
      {"select 1; select 2", FailureKind::statement},
      {"select 1; drop table notes", FailureKind::statement},
      {"", FailureKind::statement},
      {" -- nothing", FailureKind::statement},
      {"select ?", FailureKind::statement},
      {"select :a", FailureKind::statement},
      {"select @a", FailureKind::statement},
      {"select $a", FailureKind::statement},
      {"selct 1", FailureKind::statement},
      {"select 'open", FailureKind::statement},
      {"select * from absent", FailureKind::statement},
      {"select $1", FailureKind::values},
      {"begin", FailureKind::statement},
      {"commit", FailureKind::statement},
  };
  for (const auto& [sql, kind] : kCases) {
    on_loop_.run([](Database base, db::RuntimeSql text, FailureKind wanted) -> Task<> {
      try {
        co_await base.exec(text);
        ADD_FAILURE() << text.text;
      } catch (const db::Failure& failure) {
        EXPECT_EQ(failure.kind(), wanted) << text.text << ": " << failure.what();
      }
    }(db, db::RuntimeSql{sql}, kind));
  }
  EXPECT_EQ(on_loop_.run([](Database base) -> Task<std::optional<int>> {
    auto count = base.one<int>("select count(*) from notes ; -- still one\n /* and */ ");
    co_return co_await count;
  }(db)),
            0);
}

TEST_F(SqliteTest, a_transaction_counts_as_a_whole_or_not_at_all) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto add_two = [](Transaction& transaction) -> Task<int> {
      co_await transaction.exec("insert into notes(title) values('a')");
      co_await transaction.exec("insert into notes(title) values('b')");
      auto count = transaction.one<int>("select count(*) from notes");
      co_return (co_await count).value();
    };
    EXPECT_EQ((co_await base.transaction(add_two)), 2);

    auto add_and_throw = [](Transaction& transaction) -> Task<> {
      co_await transaction.exec("insert into notes(title) values('c')");
      co_await transaction.exec("insert into notes(title) values('a')");
    };
    bool has_thrown = false;
    try {
      co_await base.transaction(add_and_throw);
    } catch (const db::Failure& failure) {
      has_thrown = failure.kind() == FailureKind::unique;
    }
    EXPECT_TRUE(has_thrown);

    auto add_and_fail = [](Transaction& transaction) -> Task<Result<int>> {
      co_await transaction.exec("insert into notes(title) values('d')");
      co_return fail(Error::not_found());
    };
    EXPECT_FALSE((co_await base.transaction(add_and_fail)).has_value());
    co_await base.exec("insert into notes(title) values('e')");
    const std::vector<std::string> titles =
        co_await base.all<std::string>("select title from notes order by title");
    EXPECT_EQ(titles, (std::vector<std::string>{"a", "b", "e"}));
  }(db));
}

TEST_F(SqliteTest, a_transaction_that_is_dropped_is_rolled_back) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    {
      Transaction transaction = co_await base.begin();
      co_await transaction.exec("insert into notes(title) values('a')");
    }
    // Behind the roll-back in the writer's queue:
    co_await base.exec("insert into notes(title) values('b')");
    EXPECT_EQ((co_await base.one<std::string>("select title from notes")), "b");
    Transaction transaction = co_await base.begin();
    co_await transaction.roll_back();
    auto late = transaction.exec("insert into notes(title) values('c')");
    EXPECT_EQ((co_await failure_of(late)).first, FailureKind::statement);
  }(db));
}

TEST_F(SqliteTest, a_transaction_that_stays_open_for_too_long_is_rolled_back) {
  const Database db = open_sqlite(
      path(),
      {.schema = kSchema, .limits = {.transaction_time_max = std::chrono::milliseconds(20)}});
  on_loop_.run([](Database base) -> Task<> {
    Transaction transaction = co_await base.begin();
    co_await transaction.exec("insert into notes(title) values('a')");
    // Comes to its turn when the other has been thrown out.
    co_await base.exec("insert into notes(title) values('b')");
    auto late = transaction.commit();
    EXPECT_EQ((co_await failure_of(late)).first, FailureKind::expired);
    EXPECT_EQ((co_await base.one<std::string>("select title from notes")), "b");
  }(db));
}

TEST_F(SqliteTest, a_script_counts_as_a_whole_or_not_at_all) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.script("create table x(a); insert into x values(1); insert into x values(2);");
    EXPECT_EQ((co_await base.one<int>("select sum(a) from x")), 3);
    auto broken = base.script("create table y(a); insert into absent values(1);");
    bool has_thrown = false;
    try {
      co_await broken;
    } catch (const db::Failure&) {
      has_thrown = true;
    }
    EXPECT_TRUE(has_thrown);
    EXPECT_EQ((co_await base.one<int>("select count(*) from sqlite_master where name = 'y'")), 0);
  }(db));
}

TEST_F(SqliteTest, a_database_in_memory_serves_reads_and_writes) {
  const Database db = open_sqlite(":memory:", {.schema = kSchema});
  on_loop_.run([](Database base) -> Task<> {
    co_await base.exec("insert into notes(title) values('a')");
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 1);
  }(db));
}

TEST_F(SqliteTest, what_was_written_is_there_after_opening_again) {
  {
    const Database db = open();
    on_loop_.run([](Database base) -> Task<> {
      co_await base.exec("insert into notes(title) values('kept')");
    }(db));
  }
  const Database db = open_sqlite("sqlite:" + path());
  EXPECT_EQ(on_loop_.run([](Database base) -> Task<std::optional<std::string>> {
    auto title = base.one<std::string>("select title from notes");
    co_return co_await title;
  }(db)),
            "kept");
}

TEST_F(SqliteTest, what_cannot_be_opened_names_the_file_and_the_mend) {
  const struct {
    std::string path;
    const char* says;
  } kCases[] = {
      {path("absent/notes.db"), "Make its directory"},
      {directory_, "cannot open the database"},
      {"/proc/version", "cannot open the database /proc/version"},
  };
  for (const auto& [file, says] : kCases) {
    const auto opened = try_open_sqlite(file);
    ASSERT_FALSE(opened.has_value()) << file;
    EXPECT_NE(opened.error().find(file), std::string::npos) << opened.error();
    EXPECT_NE(opened.error().find(says), std::string::npos) << opened.error();
  }
}

TEST_F(SqliteTest, a_file_of_another_kind_is_not_touched) {
  const std::string file = path("text.db");
  FILE* out = fopen(file.c_str(), "w");
  for (int i = 0; i < 100; ++i) {
    fputs("this is no database, but a text\n", out);
  }
  fclose(out);
  const auto opened = try_open_sqlite(file);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().find("It is not an SQLite file"), std::string::npos) << opened.error();
  EXPECT_EQ(std::filesystem::file_size(file), 3200U);
}

TEST_F(SqliteTest, a_schema_that_is_wrong_is_told_when_it_is_opened) {
  const auto opened = try_open_sqlite(path(), {.schema = "create tabel notes(id)"});
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().find("schema"), std::string::npos) << opened.error();
  EXPECT_NE(opened.error().find("tabel"), std::string::npos) << opened.error();
}

TEST_F(SqliteTest, what_does_not_fit_the_struct_is_named) {
  const Database db = open();
  struct Wrong {
    int id;
    std::string text;
  };
  const struct {
    const char* sql;
    const char* says;
  } kCases[] = {
      {"select 1 as id", "Wrong::text has no column"},
      {"select 1 as id, 'a' as text, 2 as more", "\"more\" has no member in Wrong"},
      {"select 1 as id, 'a' as text, 2 as id", "two columns are named \"id\""},
      {"select 'x' as id, 'a' as text", "Wrong::id must be an integer"},
      {"select 1.5 as id, 'a' as text", "Wrong::id must be an integer"},
      {"select 3000000000 as id, 'a' as text", "Wrong::id"},
      {"select 1 as id, 5 as text", "Wrong::text must be"},
      {"select 1 as id, null as text", "a std::optional may be NULL"},
  };
  for (const auto& [sql, says] : kCases) {
    on_loop_.run([](Database base, db::RuntimeSql text, std::string wanted) -> Task<> {
      auto pending = base.all<Wrong>(text);
      const auto failure = co_await failure_of(pending);
      EXPECT_EQ(failure.first, FailureKind::row);
      EXPECT_NE(failure.second.find(wanted), std::string::npos) << failure.second;
    }(db, db::RuntimeSql{sql}, says));
  }
}

TEST_F(SqliteTest, a_full_queue_refuses_at_once) {
  const Database db = open_sqlite(path(), {.schema = kSchema, .limits = {.queue_max = 2}});
  on_loop_.run([](Database base) -> Task<> {
    // The writer is held, so that what comes to it stays queued.
    Transaction transaction = co_await base.begin();
    int busy = 0;
    auto add = [](Database to, int number, int* refused) -> Task<> {
      try {
        co_await to.exec("insert into notes(title) values($1)", number);
      } catch (const db::Failure& failure) {
        *refused += failure.kind() == FailureKind::busy ? 1 : 100;
      }
    };
    Scope scope;
    for (int i = 0; i < 10; ++i) {
      scope.start(add(base, i, &busy));
    }
    EXPECT_EQ(busy, 8);
    co_await transaction.commit();
    co_await scope.join();
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 2);
  }(db));
}

TEST_F(SqliteTest, a_task_that_is_dropped_while_it_waits_harms_nobody) {
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

TEST_F(SqliteTest, a_loop_may_go_while_its_statements_are_still_under_way) {
  const Database db = open();
  for (int i = 0; i < 50; ++i) {
    std::vector<Task<>> left;
    OnLoop other;
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

TEST_F(SqliteTest, a_reading_that_nobody_waits_for_is_interrupted) {
  // No limit would end this statement in the time of a test.
  const Database db = open_sqlite(path(), {.readers = 1});
  on_loop_.run([](Database base) -> Task<> {
    auto count_forever = [](Database in) -> Task<> {
      co_await in.one<int>(
          "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
    };
    {
      Scope scope;
      scope.start(count_forever(base));
      co_await base.exec("create table t(a)");  // the reader has begun when this is done
    }
    EXPECT_EQ((co_await base.one<int>("select 5")), 5);
  }(db));
}

TEST_F(SqliteTest, a_statement_that_takes_too_long_is_interrupted) {
  const Database db =
      open_sqlite(path(), {.limits = {.statement_time_max = std::chrono::milliseconds(5)}});
  on_loop_.run([](Database base) -> Task<> {
    auto endless = base.one<int>(
        "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
    EXPECT_EQ((co_await failure_of(endless)).first, FailureKind::expired);
  }(db));
}

TEST_F(SqliteTest, several_threads_read_and_write_side_by_side) {
  const Database db = open();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&db, t] {
      OnLoop own;
      own.run([](Database base, int number) -> Task<> {
        for (int i = 0; i < 50; ++i) {
          const std::string title = std::to_string(number) + "/" + std::to_string(i);
          co_await base.exec("insert into notes(title) values($1)", title);
          auto mine = base.one<std::string>("select title from notes where title = $1", title);
          EXPECT_EQ((co_await mine).value_or(""), title);
        }
      }(db, t));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(on_loop_.run([](Database base) -> Task<std::optional<int>> {
    auto count = base.one<int>("select count(*) from notes");
    co_return co_await count;
  }(db)),
            200);
}

TEST_F(SqliteTest, many_statements_at_once_all_come_back) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto add = [](Database to, int number) -> Task<> {
      auto add_and_count = [number](Transaction& transaction) -> Task<> {
        co_await transaction.exec("insert into notes(title) values($1)", number);
      };
      co_await to.transaction(add_and_count);
    };
    Scope scope;
    for (int i = 0; i < 300; ++i) {
      scope.start(add(base, i));
    }
    co_await scope.join();
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 300);
  }(db));
}

}  // namespace
}  // namespace eider
