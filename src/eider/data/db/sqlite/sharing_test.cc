// Statements that waited together: reads share one snapshot, and changes share one commit, but they
// do not affect each other.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

using db::FailureKind;

/// std::nullopt for success; otherwise the kind of the failure.
using Outcomes = std::vector<std::optional<FailureKind>>;

Task<> change(Database on, db::RuntimeSql sql, std::optional<FailureKind>* outcome) {
  try {
    co_await on.exec(sql);
  } catch (const db::Failure& failure) {
    *outcome = failure.kind();
  }
}

/// All of them wait while a transaction uses the writer, so that they reach it together.
Task<Outcomes> change_together(Database on, std::vector<std::string> statements) {
  Outcomes outcomes(statements.size());
  Transaction transaction = co_await on.begin();
  Scope scope;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    scope.start(change(on, db::RuntimeSql{statements[i]}, &outcomes[i]));
  }
  co_await transaction.commit();
  co_await scope.join();
  co_return outcomes;
}

std::string add(const std::string& title) {
  return "insert into notes(title) values('" + title + "')";
}

class SqliteSharingTest : public SqliteTest {
 protected:
  /// Returns the titles of all notes, in their order.
  std::string titles(const Database& db) {
    return on_loop_.run([](Database on) -> Task<std::string> {
      co_return (co_await on.one<std::string>("select coalesce(group_concat(title, ' '), '') from "
                                              "(select title from notes order by "
                                              "title)"))
          .value();
    }(db));
  }
  /// The size of the log: each commit appends its pages.
  [[nodiscard]] std::uintmax_t log_bytes() const {
    return std::filesystem::file_size(path() + "-wal");
  }
};

constexpr auto kNone = std::nullopt;

TEST_F(SqliteSharingTest, changes_that_wait_together_are_kept_by_one_commit) {
  const Database db = open();
  std::vector<std::string> statements;
  for (int i = 0; i < 40; ++i) {
    statements.push_back(add(std::to_string(i)));
  }
  const std::uintmax_t before = log_bytes();
  EXPECT_EQ(on_loop_.run(change_together(db, statements)), Outcomes(40));
  const std::uintmax_t together = log_bytes() - before;
  constexpr std::uintmax_t kFrameBytes = 4096 + 24;
  EXPECT_LT(together, 20 * kFrameBytes) << "each commit of its own would write two pages or more";
}

TEST_F(SqliteSharingTest, one_that_fails_fails_alone) {
  const struct {
    const char* sql;
    FailureKind kind;
  } kCases[] = {
      {"insert into notes(title) values('a')", FailureKind::unique},
      {"insert into notes(title, stars) values('x', 9)", FailureKind::check},
      {"insert into marks(note) values(99)", FailureKind::foreign_key},
      // Rolls back the whole transaction, like an interrupted statement.
      {"insert or rollback into notes(title) values('a')", FailureKind::unique},
      // Fails at the end of its own transaction, and would fail at the end of a shared one.
      {"insert into late values(99)", FailureKind::foreign_key},
      {"select 1 from absent", FailureKind::statement},
      {"insert into absent values(1)", FailureKind::statement},
      {"insert into notes(title) values('x'), ('a')", FailureKind::unique},
      // These run alone.
      {"commit", FailureKind::statement},
      {"begin", FailureKind::statement},
      {"rollback", FailureKind::statement},
      {"savepoint x", FailureKind::statement},
      {" -- a\n commit", FailureKind::statement},
      {"/* a */ end", FailureKind::statement},
  };
  for (const auto& [sql, kind] : kCases) {
    const Database db = open_sqlite(
        path(std::to_string(&sql - &kCases[0].sql).c_str()),
        {.schema = std::string(kSchema) +
                   "create table late(note integer references notes(id) deferrable initially "
                   "deferred); insert into notes(title) values('a')"});
    const Outcomes outcomes =
        on_loop_.run(change_together(db, {add("b"), sql, add("c"), add("d")}));
    EXPECT_EQ(outcomes, (Outcomes{kNone, kind, kNone, kNone})) << sql;
    EXPECT_EQ(titles(db), "a b c d") << sql;
  }
}

TEST_F(SqliteSharingTest, one_that_takes_too_long_is_taken_back_alone) {
  const Database db = open_sqlite(
      path(), {.schema = kSchema, .limits = {.statement_time_max = std::chrono::seconds(1)}});
  const std::string endless =
      "insert into notes(title) with recursive n(i) as (select 1 union all select i + 1 from n) "
      "select 'n' || i from n";
  EXPECT_EQ(on_loop_.run(change_together(db, {add("a"), endless, add("b")})),
            (Outcomes{kNone, FailureKind::expired, kNone}));
  EXPECT_EQ(titles(db), "a b");
}

TEST_F(SqliteSharingTest, one_that_nobody_waits_for_is_not_begun_and_its_neighbours_are_kept) {
  const Database db = open();
  on_loop_.run([](Database on) -> Task<> {
    std::optional<FailureKind> outcomes[3];
    Scope scope;
    Transaction transaction = co_await on.begin();
    {
      Scope dropped;
      std::optional<FailureKind> unheard;
      for (std::size_t i = 0; i < 3; ++i) {
        scope.start(change(on, db::RuntimeSql{add(std::to_string(i))}, &outcomes[i]));
        dropped.start(change(on, db::RuntimeSql{add("dropped" + std::to_string(i))}, &unheard));
      }
    }
    co_await transaction.commit();
    co_await scope.join();
    EXPECT_TRUE(std::ranges::none_of(outcomes, [](const auto& one) { return one.has_value(); }));
  }(db));
  EXPECT_EQ(titles(db), "0 1 2");
}

TEST_F(SqliteSharingTest, transactions_among_them_keep_their_place_and_their_rows) {
  const Database db = open();
  on_loop_.run([](Database on) -> Task<> {
    auto add_two = [](Database to, int number, bool is_kept) -> Task<> {
      auto body = [number, is_kept](Transaction& all) -> Task<Result<void>> {
        const std::string name = std::to_string(number);
        co_await all.exec("insert into notes(title) values($1)", name + "a");
        co_await all.exec("insert into notes(title) values($1)", name + "b");
        co_return is_kept ? Result<void>() : fail(Error::conflict("no"));
      };
      (void)co_await to.transaction(body);
    };
    std::optional<FailureKind> outcomes[20];
    Scope scope;
    for (int i = 0; i < 20; ++i) {
      scope.start(change(on, db::RuntimeSql{add(std::to_string(i))}, &outcomes[i]));
      scope.start(add_two(on, i, i % 2 == 0));
    }
    co_await scope.join();
    EXPECT_TRUE(std::ranges::none_of(outcomes, [](const auto& one) { return one.has_value(); }));
    EXPECT_EQ((co_await on.one<int>("select count(*) from notes")), 20 + 2 * 10);
    EXPECT_EQ((co_await on.one<int>("select count(*) from notes where title like '1a'")), 0);
    EXPECT_EQ((co_await on.one<int>("select count(*) from notes where title like '2_'")), 2);
  }(db));
}

TEST_F(SqliteSharingTest, one_for_which_there_is_no_room_is_taken_back_alone) {
  const Database db = open();
  on_loop_.run([](Database on) -> Task<> { co_await on.script("pragma max_page_count = 20"); }(db));
  EXPECT_EQ(
      on_loop_.run(change_together(
          db, {add("a"), "insert into notes(title) values(hex(zeroblob(200000)))", add("b")})),
      (Outcomes{kNone, FailureKind::storage, kNone}));
  EXPECT_EQ(titles(db), "a b");
}

TEST_F(SqliteSharingTest, what_returns_rows_returns_them_once_when_it_is_done_again) {
  const Database db = open();
  const auto ids = on_loop_.run([](Database on) -> Task<std::vector<std::int64_t>> {
    std::vector<std::int64_t> got;
    auto add_two = [](Database to, std::vector<std::int64_t>* into) -> Task<> {
      *into =
          co_await to.all<std::int64_t>("insert into notes(title) values('a'), ('b') returning id");
    };
    std::optional<FailureKind> lost;
    Scope scope;
    Transaction transaction = co_await on.begin();
    // A statement that returns rows is first tried on a reader, before the other one starts.
    scope.start(add_two(on, &got));
    co_await on.one<int>("select 1");
    scope.start(
        change(on, db::RuntimeSql{"insert or rollback into notes values(null, null, 1)"}, &lost));
    co_await transaction.commit();
    co_await scope.join();
    EXPECT_EQ(lost, FailureKind::not_null);
    co_return got;
  }(db));
  EXPECT_EQ(ids.size(), 2U);
  EXPECT_EQ(titles(db), "a b");
}

TEST_F(SqliteSharingTest, one_whose_rows_are_refused_is_taken_back_alone) {
  const Database db = open_sqlite(path(), {.readers = 0, .schema = kSchema});
  on_loop_.run([](Database on) -> Task<> {
    auto add_two = [](Database to, FailureKind* kind) -> Task<> {
      auto adding = to.one<int>("insert into notes(title) values('x'), ('y') returning id");
      *kind = (co_await failure_of(adding)).first;
    };
    FailureKind refused{};
    std::optional<FailureKind> outcomes[2];
    Scope scope;
    Transaction transaction = co_await on.begin();
    scope.start(change(on, db::RuntimeSql{add("a")}, &outcomes[0]));
    scope.start(add_two(on, &refused));
    scope.start(change(on, db::RuntimeSql{add("b")}, &outcomes[1]));
    co_await transaction.commit();
    co_await scope.join();
    EXPECT_EQ(refused, FailureKind::row);
    EXPECT_FALSE(outcomes[0].has_value() || outcomes[1].has_value());
  }(db));
  EXPECT_EQ(titles(db), "a b");
}

TEST_F(SqliteSharingTest, what_keeps_its_first_rows_keeps_them_beside_one_that_takes_all_back) {
  const Database db = open();
  const char* const half = "insert or fail into notes(title) values('f1'), ('a'), ('f2')";
  const char* const loser = "insert or rollback into notes(title) values('a')";
  EXPECT_EQ(on_loop_.run(change_together(db, {add("a"), half, loser, add("b")})),
            (Outcomes{kNone, FailureKind::unique, FailureKind::unique, kNone}));
  EXPECT_EQ(titles(db), "a b f1");
}

TEST_F(SqliteSharingTest, all_of_them_are_told_that_another_process_writes) {
  const Database db =
      open_sqlite(path(), {.busy_time_max = std::chrono::milliseconds(0), .schema = kSchema});
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto outcomes = on_loop_.run([](Database on) -> Task<Outcomes> {
    Outcomes got(20);
    Scope scope;
    for (std::optional<FailureKind>& outcome : got) {
      scope.start(change(on, db::RuntimeSql{add("a")}, &outcome));
    }
    co_await scope.join();
    co_return got;
  }(db));
  EXPECT_EQ(outcomes, Outcomes(20, FailureKind::busy));
  sqlite3_close(other);
  EXPECT_EQ(on_loop_.run(change_together(db, {add("b"), add("c")})), Outcomes(2));
}

TEST_F(SqliteSharingTest, a_read_sees_what_was_done_ahead_of_it_however_many_read) {
  const Database db = open_sqlite(path(), {.readers = 2, .schema = kSchema});
  on_loop_.run([](Database on) -> Task<> {
    auto write_and_read = [](Database base, int own) -> Task<> {
      for (int i = 0; i < 20; ++i) {
        const std::string title = std::to_string(own) + "/" + std::to_string(i);
        co_await base.exec("insert into notes(title) values($1)", title);
        EXPECT_EQ(co_await base.one<int>("select count(*) from notes where title = $1", title), 1)
            << title;
      }
    };
    Scope scope;
    for (int i = 0; i < 64; ++i) {
      scope.start(write_and_read(on, i));
    }
    co_await scope.join();
  }(db));
}

TEST_F(SqliteSharingTest, a_read_that_nobody_waits_for_is_interrupted_and_its_neighbours_are_not) {
  const Database db = open_sqlite(path(), {.readers = 1, .schema = kSchema});
  on_loop_.run([](Database on) -> Task<> {
    auto count_forever = [](Database in) -> Task<> {
      co_await in.one<int>(
          "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n");
    };
    auto read = [](Database in, int* sum) -> Task<> {
      *sum += (co_await in.one<int>("select 5")).value();
    };
    int sum = 0;
    Scope neighbours;
    {
      Scope dropped;
      dropped.start(count_forever(on));
      for (int i = 0; i < 10; ++i) {
        neighbours.start(read(on, &sum));
        dropped.start(count_forever(on));
      }
      co_await on.exec("insert into notes(title) values('a')");
    }
    co_await neighbours.join();
    EXPECT_EQ(sum, 50);
    // An open read transaction must not hide newer data.
    EXPECT_EQ((co_await on.one<int>("select count(*) from notes")), 1);
  }(db));
}

TEST_F(SqliteSharingTest, a_read_that_fails_leaves_its_neighbours_their_rows) {
  const Database db = open_sqlite(path(), {.readers = 1, .schema = kSchema});
  on_loop_.run([](Database on) -> Task<> {
    auto read = [](Database in, db::RuntimeSql sql, int* good, int* bad) -> Task<> {
      try {
        *good += (co_await in.one<int>(sql)).value();
      } catch (const db::Failure&) {
        ++*bad;
      }
    };
    int good = 0;
    int bad = 0;
    Scope scope;
    constexpr int kTimes = 5;
    for (int i = 0; i < kTimes; ++i) {
      for (const char* sql : {"select 1", "select 'x'", "select absent", "commit", "select 1",
                              "rollback", "select abs(-9223372036854775807 - 1)", "savepoint s",
                              "select 1", "select 1 union all select 2", "select 1"}) {
        scope.start(read(on, db::RuntimeSql{sql}, &good, &bad));
      }
    }
    co_await scope.join();
    EXPECT_EQ(good, 4 * kTimes);
    EXPECT_EQ(bad, 7 * kTimes);
  }(db));
}

TEST_F(SqliteSharingTest, the_log_can_be_reused_once_no_read_is_under_way) {
  const Database db = open_sqlite(path(), {.readers = 2, .schema = kSchema});
  on_loop_.run([](Database on) -> Task<> {
    auto read = [](Database in) -> Task<> {
      (void)co_await in.all<db::Row>("select * from notes");
    };
    Scope scope;
    for (int i = 0; i < 200; ++i) {
      scope.start(read(on));
    }
    co_await scope.join();
    co_await on.exec("insert into notes(title) values('a')");
    const auto state = co_await on.one<db::Row>("pragma wal_checkpoint(truncate)");
    EXPECT_EQ((*state)[0].integer(), 0) << "somebody holds an old state";
  }(db));
}

}  // namespace
}  // namespace eider
