// Statements with one database: parameters, results, and errors.
#include "eider/data/db/sqlite/sqlite.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/validation_errors.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

using db::FailureKind;

TEST_F(SqliteTest, sql_knows_the_row_that_was_inserted_last) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto add_two = [](Transaction& to) -> Task<> {
      co_await to.exec("insert into notes(id, title) values(7, 'one')");
      const db::Changed changed = co_await to.exec("update notes set stars = 1");
      EXPECT_EQ(changed.last_insert_id, 0);
      EXPECT_EQ(co_await to.one<std::int64_t>("select last_insert_rowid()"), 7);
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
      EXPECT_EQ(co_await to.one<std::int64_t>("select last_insert_rowid()"), 7);
      const db::Changed zero = co_await to.exec("insert into notes(id, title) values(0, 'zero')");
      EXPECT_EQ(zero.last_insert_id, 0);
      EXPECT_EQ(co_await to.one<std::int64_t>("select last_insert_rowid()"), 0);
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

TEST_F(SqliteTest, a_list_is_json_and_never_an_array) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    const std::vector<int> ids = {1, 3};
    EXPECT_EQ((co_await base.one<int>("select sum(value) from json_each($1)", ids)), 4);
    auto array = base.one<int>("select $1", db::as_array(ids));
    const auto failure = co_await failure_of(array);
    EXPECT_EQ(failure.first, FailureKind::values);
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

  void check(ValidationErrors& errors) const {
    if (last < first) {
      errors.add(last, "must not be before first");
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

TEST_F(SqliteTest, lists_of_blobs_are_base64_in_json) {
  struct Album {
    std::vector<db::Blob> pictures;
  };
  on_loop_.run([](Database base) -> Task<> {
    const std::vector<db::Blob> pictures = {{std::byte{0}, std::byte{255}}, {}};
    EXPECT_EQ(co_await base.one<std::string>("select $1", pictures), R"(["AP8=",""])");
    const auto album = co_await base.one<Album>("select $1 as pictures", pictures);
    EXPECT_EQ(album->pictures, pictures);
  }(open()));
}

TEST_F(SqliteTest, what_a_statement_changed_whose_rows_are_refused_is_taken_back) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.exec("insert into notes(id, title) values(1, 'a'), (2, 'b')");
    auto two = base.one<int>("update notes set stars = 5 returning id");
    EXPECT_EQ((co_await failure_of(two)).first, FailureKind::row);
    auto text = base.all<int>("insert into notes(title) values('c') returning title");
    EXPECT_EQ((co_await failure_of(text)).first, FailureKind::row);
    auto [each] = co_await base.all(db::row<int>("update notes set stars = 4 returning id"));
    EXPECT_FALSE(each.has_value());
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes where stars is null")), 2);
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 2);
  }(db));
}

TEST_F(SqliteTest, a_statement_whose_rows_are_refused_leaves_its_transaction_the_rest) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto body = [](Transaction& all) -> Task<> {
      co_await all.exec("insert into notes(id, title) values(1, 'a')");
      EXPECT_EQ(co_await all.one<int>("insert into notes(id, title) values(2, 'b') returning id"),
                2);
      auto two = all.one<int>("update notes set stars = 5 returning id");
      EXPECT_EQ((co_await failure_of(two)).first, FailureKind::row);
      auto taken = all.one<int>("insert into notes(title) values('a') returning id");
      EXPECT_EQ((co_await failure_of(taken)).first, FailureKind::unique);
      co_await all.exec("insert into notes(id, title) values(3, 'c')");
    };
    co_await base.transaction(body);
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes where stars is null")), 3);
  }(db));
}

TEST_F(SqliteTest, behind_a_failure_that_ends_its_transaction_nothing_is_kept) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.exec("insert into notes(title) values('a')");
    auto body = [](Transaction& all) -> Task<> {
      auto ending = all.exec("insert or rollback into notes(title) values('a')");
      EXPECT_EQ((co_await failure_of(ending)).first, FailureKind::unique);
      auto behind = all.exec("insert into notes(title) values('b')");
      EXPECT_EQ((co_await failure_of(behind)).first, FailureKind::statement);
      auto script = all.script("insert into notes(title) values('c')");
      EXPECT_EQ((co_await failure_of(script)).first, FailureKind::statement);
    };
    auto transacting = base.transaction(body);
    EXPECT_EQ((co_await failure_of(transacting)).first, FailureKind::statement);
    EXPECT_EQ((co_await base.one<int>("select count(*) from notes")), 1);
    co_await base.exec("insert into notes(title) values('d')");
  }(db));
}

TEST_F(SqliteTest, a_reader_is_not_told_to_write) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    auto off = base.all<int>("pragma Query_Only = off");
    EXPECT_EQ((co_await failure_of(off)).first, FailureKind::statement);
    EXPECT_EQ((co_await base.one<int>("pragma query_only")), 1);
  }(db));
}

Task<db::RefusedBy> refusal_of(Database base, db::RuntimeSql sql) {
  try {
    co_await base.exec(sql);
  } catch (const db::Failure& failure) {
    co_return failure.by();
  }
  co_return db::RefusedBy{.constraint = "nothing"};
}

TEST_F(SqliteTest, a_broken_constraint_tells_its_name_its_table_and_its_column) {
  const Database db = open();
  on_loop_.run([](Database base) -> Task<> {
    co_await base.script(
        "create table pairs(a integer, b integer, c text not null, constraint small check(a < 9), "
        "unique(a, b)); create unique index lower_c on pairs(lower(c)); "
        "insert into pairs values(1, 1, 'x'); insert into notes(id, title) values(1, 'a')");
  }(db));
  const struct {
    const char* sql;
    const char* constraint;
    const char* table;
    const char* column;
  } kCases[] = {
      {"insert into pairs values(1, 1, 'y')", "pairs_a_b_key", "pairs", ""},
      {"insert into pairs values(1, 2, 'X')", "lower_c", "", ""},
      {"insert into pairs values(9, 2, 'z')", "small", "", ""},
      {"insert into pairs(a) values(2)", "", "pairs", "c"},
      {"insert into notes(id, title) values(1, 'b')", "notes_pkey", "notes", "id"},
      {"insert into notes(title) values('a')", "notes_title_key", "notes", "title"},
      {"insert into marks(note) values(99)", "", "", ""},
      {"insert into absent values(1)", "", "", ""},
  };
  for (const auto& [sql, constraint, table, column] : kCases) {
    const db::RefusedBy by = on_loop_.run(refusal_of(db, db::RuntimeSql{sql}));
    EXPECT_EQ(by.constraint, constraint) << sql;
    EXPECT_EQ(by.table, table) << sql;
    EXPECT_EQ(by.column, column) << sql;
  }
}

TEST_F(SqliteTest, a_long_name_of_a_constraint_is_cut_as_postgresql_cuts_it) {
  const auto times = [](std::size_t count, std::string_view text) {
    std::string made;
    while (count-- > 0) {
      made += text;
    }
    return made;
  };
  const struct {
    std::string table;
    std::string column;
    std::string name;
  } kCases[] = {
      {times(40, "t"), times(40, "c"), times(29, "t") + "_" + times(29, "c") + "_key"},
      {times(40, "t"), "email", times(40, "t") + "_email_key"},
      {times(60, "t"), "email", times(53, "t") + "_email_key"},
      {"users", times(60, "c"), "users_" + times(53, "c") + "_key"},
      {"users", "x" + times(30, "\u00e9"), "users_x" + times(26, "\u00e9") + "_key"},
      {"users", times(29, "\u00e9"), "users_" + times(26, "\u00e9") + "_key"},
  };
  for (const auto& [table, column, name] : kCases) {
    const Database db =
        open_sqlite(":memory:", {.schema = "create table " + table + "(" + column +
                                           " text unique); insert into " + table + " values('a')"});
    const db::RuntimeSql again{"insert into " + table + " values('a')"};
    EXPECT_EQ(on_loop_.run(refusal_of(db, again)).constraint, name);
  }
}

TEST(DatabaseFailure, what_may_do_in_a_moment_is_a_503_and_a_constraint_a_409) {
  for (const FailureKind kind : {FailureKind::busy, FailureKind::expired, FailureKind::deadlock,
                                 FailureKind::serialization, FailureKind::lost}) {
    EXPECT_EQ(db::Failure(kind, "cause").error().status(), 503);
  }
  for (const FailureKind kind :
       {FailureKind::unique, FailureKind::foreign_key, FailureKind::not_null, FailureKind::check}) {
    EXPECT_EQ(db::Failure(kind, "cause").error().status(), 409);
  }
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
    co_return co_await base.one<int>("select count(*) from notes ; -- still one\n /* and */ ");
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
      {"select 1 as id, 'a' as text, 2 as id", "two columns have the name \"id\""},
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
