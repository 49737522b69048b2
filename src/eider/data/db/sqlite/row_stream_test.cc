#include <malloc.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

using db::FailureKind;
using RunsOn = SqliteOptions::RunsOn;
using namespace std::chrono_literals;

constexpr const char* kCount =
    "with recursive c(n) as (select 1 union all select n + 1 from c where n < $1) select n from c";
constexpr const char* kEndless =
    "with recursive c(n) as (select 1 union all select n + 1 from c) select n from c";

struct Reading {
  std::int64_t rows = 0;
  std::int64_t sum = 0;
  std::optional<FailureKind> failure{};
  std::string cause{};
};

Task<Reading> read_all(db::RowStream<std::int64_t> stream) {
  Reading reading;
  try {
    while (const auto row = co_await stream.next()) {
      ++reading.rows;
      reading.sum += *row;
    }
  } catch (const db::Failure& failure) {
    reading.failure = failure.kind();
    reading.cause = failure.what();
  }
  co_return reading;
}

/// On threads, on the loop, in memory, and for a test.
class SqliteStream : public SqliteTest {
 protected:
  [[nodiscard]] std::vector<Database> open_all() const {
    return {
        open_sqlite(path("threads.db"), {.schema = kSchema}),
        open_sqlite(path("loop.db"), {.runs_on = RunsOn::loop, .schema = kSchema}),
        open_sqlite(":memory:", {.schema = kSchema}),
        open_sqlite(path("back.db"), {.schema = kSchema, .is_rolled_back = true}),
        open_sqlite(":memory:", {.runs_on = RunsOn::loop, .schema = kSchema}),
    };
  }
};

TEST_F(SqliteStream, each_count_of_rows_comes_whole) {
  for (const Database& base : open_all()) {
    for (const std::int64_t count : {1, 15, 16, 17, 80, 208, 10'000}) {
      const Reading reading = on_loop_.run(read_all(base.stream<std::int64_t>(kCount, count)));
      EXPECT_EQ(reading.rows, count) << reading.cause;
      EXPECT_EQ(reading.sum, count * (count + 1) / 2);
    }
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select 1 where 0"))).rows, 0);
  }
}

TEST_F(SqliteStream, a_million_rows_take_no_more_memory_than_a_piece) {
  const Database base = open();
  const auto heap = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>(kCount, 10))).rows, 10);
  std::size_t most = 0;
  const std::size_t before = heap();
  const auto read = [&](Database on) -> Task<std::int64_t> {
    auto rows = on.stream<Note>(
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 1000000) "
        "select n as id, printf('%.100c', 'x') as title, null as stars from c");
    std::int64_t sum = 0;
    while (const auto row = co_await rows.next()) {
      sum += row->id;
      if (row->id % 10'000 == 0) {
        most = std::max(most, heap());
      }
    }
    co_return sum;
  };
  EXPECT_EQ(on_loop_.run(read(base)), 500'000'500'000);
  EXPECT_LT(most - before, 1'000'000U);
}

TEST_F(SqliteStream, of_large_rows_few_are_in_memory) {
  const Database base = open();
  std::size_t most = 0;
  const auto heap = [] { return ::mallinfo2().uordblks + ::mallinfo2().hblkhd; };
  const std::size_t before = heap();
  const auto read = [&](Database on) -> Task<> {
    auto rows = on.stream<std::string>(
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 200) "
        "select printf('%.1000000c', 'x') from c");
    while (co_await rows.next()) {
      most = std::max(most, heap());
    }
  };
  on_loop_.run(read(base));
  EXPECT_LT(most - before, 10'000'000U);
}

TEST_F(SqliteStream, other_statements_go_between_its_rows_and_change_nothing_of_it) {
  const std::vector<Database> all = open_all();
  for (const Database& base : {all[0], all[1]}) {
    const auto read = [](Database on) -> Task<std::int64_t> {
      co_await on.exec(
          "with recursive c(n) as (select 1 union all select n + 1 from c where n < 500) "
          "insert into notes(id, title) select n, 'note ' || n from c");
      auto rows = on.stream<std::int64_t>("select id from notes order by id");
      std::int64_t count = 0;
      while (const auto id = co_await rows.next()) {
        co_await on.exec("update notes set stars = 5 where id = $1", *id);
        EXPECT_EQ((co_await on.one<int>("select stars from notes where id = $1", *id)), 5);
        ++count;
      }
      co_return count;
    };
    EXPECT_EQ(on_loop_.run(read(base)), 500);
  }
}

TEST_F(SqliteStream, within_a_transaction_it_sees_its_changes_and_ends_with_it) {
  for (const Database& base : open_all()) {
    const auto read = [](Database on) -> Task<> {
      auto transaction = co_await on.begin();
      co_await transaction.exec("insert into notes(title) values('mine')");
      auto own = transaction.stream<std::string>("select title from notes");
      EXPECT_EQ(co_await own.next(), "mine");
      EXPECT_EQ(co_await own.next(), std::nullopt);
      auto cut = transaction.stream<std::int64_t>(kCount, 1000);
      auto left = std::optional(transaction.stream<std::int64_t>(kCount, 1000));
      EXPECT_EQ(co_await left->next(), 1);
      EXPECT_EQ(co_await cut.next(), 1);
      left.reset();
      co_await transaction.commit();
      try {
        while (co_await cut.next()) {
        }
        ADD_FAILURE() << "it came to an end";
      } catch (const db::Failure& failure) {
        EXPECT_EQ(failure.kind(), FailureKind::statement);
      }
    };
    on_loop_.run(read(base));
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select count(*) from notes"))).sum,
              1);
  }
}

TEST_F(SqliteStream, what_changes_something_is_refused_and_so_is_what_does_not_fit) {
  for (const Database& base : open_all()) {
    const Reading insert = on_loop_.run(
        read_all(base.stream<std::int64_t>("insert into notes(title) values('a') returning id")));
    EXPECT_EQ(insert.failure, FailureKind::statement);
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select count(*) from notes"))).sum,
              0);
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select 'word'"))).failure,
              FailureKind::row);
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select * from nothing"))).failure,
              FailureKind::statement);
  }
}

TEST_F(SqliteStream, a_row_that_is_refused_between_its_rows_takes_back_its_statement_alone) {
  const Database base =
      open_sqlite(path(), {.runs_on = RunsOn::loop,
                           .schema = "create table later(note integer references notes(id) "
                                     "deferrable initially deferred); " +
                                     std::string(kSchema)});
  const auto read = [](Database on) -> Task<> {
    co_await on.exec("insert into notes(id, title) values(1, 'a'), (2, 'b')");
    auto rows = on.stream<std::int64_t>(kCount, 1000);
    EXPECT_EQ(co_await rows.next(), 1);
    auto two = on.one<int>("update notes set stars = 5 returning id");
    EXPECT_EQ((co_await failure_of(two)).first, FailureKind::row);
    // Its commit is what fails.
    auto foreign = on.one<int>("insert into later(note) values(99) returning note");
    EXPECT_EQ((co_await failure_of(foreign)).first, FailureKind::foreign_key);
    EXPECT_EQ(co_await on.one<int>("update notes set stars = 3 where id = 1 returning id"), 1);
    EXPECT_EQ(co_await on.one<int>("select count(*) from notes where stars is null"), 1);
    auto transaction = co_await on.begin();
    co_await transaction.exec("insert into notes(title) values('c')");
    co_await transaction.commit();
    std::int64_t count = 1;
    while (co_await rows.next()) {
      ++count;
    }
    EXPECT_EQ(count, 1000);
  };
  on_loop_.run(read(base));
  EXPECT_EQ(on_loop_
                .run(read_all(open_sqlite(path()).stream<std::int64_t>(
                    "select id from notes where stars = 3 or title = 'c' union all "
                    "select note from later")))
                .rows,
            2);
}

TEST_F(SqliteStream, an_error_amid_the_rows_is_thrown) {
  for (const Database& base : open_all()) {
    const Reading reading = on_loop_.run(read_all(base.stream<std::int64_t>(
        "with recursive c(n) as (select 1 union all select n + 1 from c where n < 9000) "
        "select case when n = 5000 then abs(-9223372036854775807 - 1) else n end from c")));
    EXPECT_TRUE(reading.failure.has_value());
    EXPECT_GT(reading.rows, 4800);
    EXPECT_LT(reading.rows, 5000);
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select 1"))).sum, 1);
  }
}

TEST_F(SqliteStream, one_that_is_left_frees_its_connection_in_whatever_stage) {
  for (const Database& base : open_all()) {
    const auto leave = [](Database on) -> Task<> {
      for (int i = 0; i < 20; ++i) {
        auto rows = on.stream<std::int64_t>(kEndless);
        EXPECT_EQ(co_await rows.next(), 1);
      }
    };
    on_loop_.run(leave(base));
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select 1"))).sum, 1);
  }
  // While a piece is looked for that never comes.
  const auto give_up = [](Database on) -> Task<> {
    for (int i = 0; i < 4; ++i) {
      const auto ask = [](Database asked) -> Task<> {
        auto rows = asked.stream<std::int64_t>(
            "with recursive c(n) as (select 1 union all select n + 1 from c) select n from c "
            "where n < 0");
        (void)co_await rows.next();
      };
      EXPECT_FALSE(co_await with_deadline(ask(on), 20ms));
    }
  };
  const Database base = open();
  on_loop_.run(give_up(base));
  EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select 1"))).sum, 1);
}

TEST_F(SqliteStream, a_reader_that_never_asks_again_loses_its_connection_and_its_state) {
  const Database base = open_sqlite(
      path(), {.streams_max = 1, .schema = kSchema, .limits = {.stream_idle_max = 50ms}});
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>(kEndless);
    EXPECT_EQ(co_await rows.next(), 1);
    // Waits until the first has lost it.
    auto second = on.stream<std::int64_t>(kCount, 3);
    EXPECT_EQ(co_await second.next(), 1);
    try {
      while (co_await rows.next()) {
      }
      ADD_FAILURE() << "it came to an end";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::expired);
      EXPECT_TRUE(std::string(failure.what()).contains("stream of rows")) << failure.what();
    }
  };
  on_loop_.run(read(base));
}

TEST_F(SqliteStream, one_that_is_read_for_too_long_fails_and_so_does_a_slow_piece) {
  const Database base =
      open_sqlite(path(), {.schema = kSchema, .limits = {.stream_time_max = 100ms}});
  EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>(kEndless))).failure,
            FailureKind::expired);
  const Database impatient =
      open_sqlite(path(), {.schema = kSchema, .limits = {.statement_time_max = 50ms}});
  EXPECT_EQ(on_loop_
                .run(read_all(impatient.stream<std::int64_t>(
                    "with recursive c(n) as (select 1 union all select n + 1 from c) select n "
                    "from c where n < 0")))
                .failure,
            FailureKind::expired);
}

TEST_F(SqliteStream, streams_wait_for_each_other_and_nobody_else_for_them) {
  const Database base = open();
  const auto read = [](Database on) -> Task<> {
    std::vector<db::RowStream<std::int64_t>> open;
    for (int i = 0; i < 2; ++i) {
      open.push_back(on.stream<std::int64_t>(kEndless));
      EXPECT_EQ(co_await open.back().next(), 1);
    }
    Scope beside;
    bool has_begun = false;
    const auto third = [](Database asked, bool* begun) -> Task<> {
      auto rows = asked.stream<std::int64_t>(kCount, 10);
      EXPECT_EQ(co_await rows.next(), 1);
      *begun = true;
    };
    beside.start(third(on, &has_begun));
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(co_await on.one<int>("select 1"), 1);
      co_await on.exec("insert into notes(title) values($1)", std::to_string(i));
    }
    EXPECT_FALSE(has_begun);
    open.pop_back();
    co_await beside.join();
    EXPECT_TRUE(has_begun);
    EXPECT_EQ(co_await open.front().next(), 2);
  };
  on_loop_.run(read(base));
}

/// Until it has a row.
Task<> take_one(Database from, std::optional<FailureKind>* failure) {
  auto rows = from.stream<std::int64_t>(kEndless);
  try {
    (void)co_await rows.next();
  } catch (const db::Failure& refused) {
    *failure = refused.kind();
  }
}

TEST_F(SqliteStream, many_that_wait_or_were_given_up_keep_no_statement_out) {
  const Database base = open_sqlite(path(), {.schema = kSchema, .limits = {.stream_wait_max = 1h}});
  const auto read = [](Database on) -> Task<> {
    std::vector<db::RowStream<std::int64_t>> open;
    for (int i = 0; i < 2; ++i) {
      open.push_back(on.stream<std::int64_t>(kEndless));
      EXPECT_EQ(co_await open.back().next(), 1);
    }
    std::optional<FailureKind> refused;
    for (int i = 0; i < 1500; ++i) {
      Scope leaving;
      leaving.start(take_one(on, &refused));
    }
    EXPECT_EQ(refused, std::nullopt) << "nobody waits for those that were given up";
    Scope waiting;
    for (std::size_t i = 0; i < db::kWaitingStreamsMax; ++i) {
      waiting.start(take_one(on, &refused));
    }
    EXPECT_EQ(refused, std::nullopt);
    waiting.start(take_one(on, &refused));
    EXPECT_EQ(refused, FailureKind::busy);
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    co_await on.exec("insert into notes(title) values('a')");
  };
  on_loop_.run(read(base));
}

TEST_F(SqliteStream, statements_that_were_given_up_are_not_counted) {
  const Database base = open_sqlite(path(), {.schema = kSchema, .limits = {.queue_max = 2}});
  const auto write = [](Database on) -> Task<> {
    const auto add = [](Database to, std::string title) -> Task<> {
      co_await to.exec("insert into notes(title) values($1)", title);
    };
    Transaction transaction = co_await on.begin();  // keeps the writer
    for (int i = 0; i < 10; ++i) {
      Scope leaving;
      leaving.start(add(on, std::to_string(i)));
    }
    Scope beside;
    beside.start(add(on, "stays"));
    co_await transaction.commit();
    co_await beside.join();
    EXPECT_EQ(co_await on.one<std::string>("select group_concat(title) from notes"), "stays");
  };
  on_loop_.run(write(base));
}

TEST_F(SqliteStream, one_that_waits_for_too_long_is_refused) {
  const Database base = open_sqlite(
      path(), {.streams_max = 1, .schema = kSchema, .limits = {.stream_wait_max = 500ms}});
  const auto read = [](Database on) -> Task<> {
    auto first = on.stream<std::int64_t>(kEndless);
    EXPECT_EQ(co_await first.next(), 1);
    std::optional<FailureKind> refused;
    co_await take_one(on, &refused);
    EXPECT_EQ(refused, FailureKind::busy);
    EXPECT_EQ(co_await first.next(), 2);
  };
  on_loop_.run(read(base));
}

TEST_F(SqliteStream, ends_with_its_loop_and_keeps_its_database) {
  const std::vector<Database> all = open_all();
  for (const Database& base : {all[0], all[2]}) {
    std::optional<db::RowStream<std::int64_t>> left;
    {
      TestLoop other;
      const auto begin = [&left](Database on) -> Task<> {
        left.emplace(on.stream<std::int64_t>(kEndless));
        EXPECT_EQ(co_await left->next(), 1);
      };
      other.run(begin(base));
    }
    left.reset();
    EXPECT_EQ(on_loop_.run(read_all(base.stream<std::int64_t>("select 1"))).sum, 1);
  }
}

}  // namespace
}  // namespace eider
