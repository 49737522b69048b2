// Statements over one database: what goes in, what comes back, and what is wrong with it.
#include "eider/db/sqlite/sqlite.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eider/kinds/kinds.h"
#include "eider/reflect/constraints.h"
#include "eider/reflect/faults.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

using db::FailureKind;

enum class Colour : std::uint8_t { red, green };

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

TEST_F(SqliteTest, sql_knows_the_row_that_was_inserted_last) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto add_two = [](Transaction& to) -> Task<> {
      co_await to.exec("insert into notes(id, title) values(7, 'one')");
      const db::Changed changed = co_await to.exec("update notes set stars = 1");
      EXPECT_EQ(changed.last_insert_id, 0);
      auto last = to.one<std::int64_t>("select last_insert_rowid()");
      EXPECT_EQ(co_await last, 7);
      const db::Changed marked = co_await to.exec(
          "insert into marks select id, 'new' from notes where id = last_insert_rowid()");
      EXPECT_EQ(marked.rows, 1);
      EXPECT_EQ(marked.last_insert_id, 1);
    };
    co_await base.transaction(add_two);
    EXPECT_EQ((co_await base.one<std::string>("select text from marks where note = 7")), "new");
  }(db));
}

TEST_F(SqliteTest, an_insert_that_becomes_an_update_or_fails_inserts_no_row) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto add = [](Transaction& to) -> Task<> {
      co_await to.exec("insert into notes(id, title) values(7, 'one')");
      const db::Changed changed = co_await to.exec(
          "insert into notes(title) values('one') on conflict(title) do update set stars = 2");
      EXPECT_EQ(changed.rows, 1);
      EXPECT_EQ(changed.last_insert_id, 0);
      auto broken = to.exec("insert into notes(title) values(null)");
      const auto failure = co_await failure_of(broken);
      EXPECT_EQ(failure.first, FailureKind::not_null);
      auto last = to.one<std::int64_t>("select last_insert_rowid()");
      EXPECT_EQ(co_await last, 7);
      const db::Changed zero = co_await to.exec("insert into notes(id, title) values(0, 'zero')");
      EXPECT_EQ(zero.last_insert_id, 0);
      auto of_zero = to.one<std::int64_t>("select last_insert_rowid()");
      EXPECT_EQ(co_await of_zero, 0);
    };
    co_await base.transaction(add);
  }(db));
}

TEST_F(SqliteTest, a_trigger_knows_the_row_that_was_inserted_last) {
  const Database db = open_sqlite(
      path(), {.schema = std::string(kSchema) +
                         "create trigger mark after insert on notes begin "
                         "insert into marks values(last_insert_rowid(), 'by trigger'); end;"});
  on_loop_.run([](Database base) -> Task<> {
    const db::Changed changed = co_await base.exec("insert into notes(id, title) values(7, 'one')");
    EXPECT_EQ(changed.last_insert_id, 7);
    EXPECT_EQ((co_await base.one<std::string>("select text from marks where note = 7")),
              "by trigger");
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

constexpr std::string_view kUuid = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";

TEST_F(SqliteTest, text_that_is_none_of_its_kind_is_a_failure) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto other = base.one<Uuid>("select 'x'");
    EXPECT_EQ((co_await failure_of(other)).first, FailureKind::row);
    auto number = base.one<Uuid>("select 7");
    EXPECT_EQ((co_await failure_of(number)).first, FailureKind::row);
  }(db));
}

struct Stay {
  int first;
  int last;

  void check(Faults& faults) const {
    if (last < first) {
      faults.add(last, "must not be before first");
    }
  }
};

TEST_F(SqliteTest, a_row_that_its_struct_finds_wrong_is_a_failure) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    EXPECT_EQ((co_await base.one<Stay>("select 1 as first, 2 as last"))->last, 2);
    auto wrong = base.one<Stay>("select 2 as first, 1 as last");
    const auto failure = co_await failure_of(wrong);
    EXPECT_EQ(failure.first, FailureKind::row);
    EXPECT_NE(failure.second.find("Stay/last must not be before first"), std::string::npos);
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
    Uuid uuid;
    std::chrono::sys_seconds at;
  };
  on_loop_.run([](Database base) -> Task<> {
    const std::string text("a\0b\xC3\xA9", 5);
    const db::Blob blob{std::byte{0}, std::byte{255}};
    const std::optional<std::string> nothing;
    const std::optional<All> row = co_await base.one<All>(
        "select $1 as yes, $2 as least, $3 as number, $4 as real, $5 as text, $6 as blob, "
        "$7 as colour, $8 as absent, $9 as range, $10 as uuid, $11 as at",
        true, std::numeric_limits<std::int64_t>::min(), 4000000000U, 0.1, text, blob, Colour::green,
        nothing, Range<int, 0, 9>(3), *Uuid::parse(kUuid), std::chrono::sys_days());
    EXPECT_EQ(row->uuid, *Uuid::parse(kUuid));
    EXPECT_EQ(row->at, std::chrono::sys_seconds());
    EXPECT_EQ((co_await base.one<std::string>("select $1", row->at)), "1970-01-01T00:00:00Z");
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

}  // namespace
}  // namespace eider
