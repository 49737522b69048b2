#include <malloc.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

using SqliteStream = SqliteTest;

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
    // The commit fails.
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
  const Database other = open_sqlite(path());
  EXPECT_EQ(on_loop_.run([](Database on) -> Task<std::optional<int>> {
    co_return co_await on.one<int>(
        "select count(*) from (select id from notes where stars = 3 or title = 'c' union all "
        "select note from later)");
  }(other)),
            2);
}

/// Reads until there is a row.
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

}  // namespace
}  // namespace eider
