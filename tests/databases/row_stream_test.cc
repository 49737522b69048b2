// Streams of rows: the rows of a result, read one after the other in chunks.
#include "eider/data/db/row_stream.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

using db::FailureKind;
using db::RuntimeSql;
using namespace std::chrono_literals;

struct Numbered {
  std::int64_t n;
  std::string words;
};
using Numbers = db::RowStream<std::int64_t>;

/// The rows of a stream, their sum, and its failure.
struct Reading {
  std::int64_t rows = 0;
  std::int64_t sum = 0;
  std::optional<FailureKind> failure{};
  std::string cause{};
};

/// Reads the rest of a stream.
Task<Reading> read_rest(Numbers& stream) {
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

Task<Reading> read_numbers(Database base, std::string sql) {
  const RuntimeSql text{std::move(sql)};
  auto rows = base.stream<std::int64_t>(text);
  co_return co_await read_rest(rows);
}

/// Waits for a row and ignores it.
Task<> await_row(Numbers* stream) {
  (void)co_await stream->next();
}

Task<> take_row(Database base, RuntimeSql sql, int* refused) {
  auto rows = base.stream<std::int64_t>(sql);
  try {
    (void)co_await rows.next();
  } catch (const db::Failure& failure) {
    *refused += failure.kind() == FailureKind::busy ? 1 : 100;
  }
}

std::size_t heap_bytes() {
  return ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
}

/// Returns the peak resident memory of a process.
std::int64_t resident_kilobytes(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoll(line.substr(6));
    }
  }
  return 0;
}

class RowStreams : public DatabaseTest {
 protected:
  /// Returns a statement for the numbers from 1 to `last`.
  [[nodiscard]] static RuntimeSql count_to(std::int64_t last) {
    return RuntimeSql{"select n from " + differs().numbers(last)};
  }
  /// Returns a statement with more rows than a test reads.
  [[nodiscard]] static RuntimeSql many() { return count_to(differs().numbers_max); }
};

INSTANTIATE_TEST_SUITE_P(On, RowStreams, each_database(), name_of_database);

TEST_P(RowStreams, a_million_rows_use_no_more_memory_than_a_piece) {
  const Database base = open({.limits = {.transaction_time_max = 2min}});
  (void)number(base, "select 1");
  std::size_t most = heap_bytes();
  const std::size_t before = most;
  const RuntimeSql sql{"select n, " + differs().letters(100) + " as words from " +
                       differs().numbers(1'000'000)};
  const RuntimeSql others{differs().other_connections};
  const auto read = [&](Database on) -> Task<std::int64_t> {
    auto rows = on.stream<Numbered>(sql);
    std::int64_t sum = 0;
    while (const auto row = co_await rows.next()) {
      sum += row->n;
      if (row->n % 10'000 == 0) {
        most = std::max(most, heap_bytes());
      }
      if (row->n == 999'000 && differs().has_processes) {
        for (const int process : co_await on.all<int>(others)) {
          EXPECT_LT(resident_kilobytes(process), 60'000);
        }
      }
    }
    co_return sum;
  };
  EXPECT_EQ(on_loop_.run(read(base)), 500'000'500'000);
  EXPECT_LT(most - before, 1'000'000U);
}

TEST_P(RowStreams, values_are_bound_and_each_number_of_rows_is_complete) {
  const RuntimeSql sql{"select n, $2 || '' as words from " + differs().numbers(10'000) +
                       " where n <= $1; -- all"};
  on_each_way([&](Database base) -> Task<> {
    for (const std::int64_t count : {0, 1, 15, 16, 17, 80, 81, 208, 1000, 10'000}) {
      auto rows = base.stream<Numbered>(sql, count, std::string("it's"));
      std::int64_t sum = 0;
      while (const auto row = co_await rows.next()) {
        sum += row->n;
        EXPECT_EQ(row->words, "it's");
      }
      EXPECT_EQ(sum, count * (count + 1) / 2);
    }
  });
}

TEST_P(RowStreams, streams_of_other_columns_follow_each_other_on_one_connection) {
  const auto read = [](Database on) -> Task<std::string> {
    const RuntimeSql two = count_to(2);
    std::string all;
    for (int i = 0; i < 3; ++i) {
      auto numbers = on.stream<std::int64_t>(two);
      while (const auto number = co_await numbers.next()) {
        all += std::to_string(*number);
      }
      auto words = on.stream<std::string>("select 'w' as b");
      while (const auto word = co_await words.next()) {
        all += *word;
      }
    }
    co_return all;
  };
  EXPECT_EQ(on_loop_.run(read(open({.connections_max = 1, .streams_max = 1}))), "12w12w12w");
}

TEST_P(RowStreams, a_statement_that_changes_something_is_refused) {
  for (const Database& base : opener_->open_each_way()) {
    script(base, "drop table if exists streamed; create table streamed(n bigint, words text)");
    if (*differs().changing_needs != '\0') {
      script(base, differs().changing_needs);
    }
    for (const char* sql : differs().changing) {
      EXPECT_TRUE(on_loop_.run(read_numbers(base, sql)).failure) << sql;
    }
    EXPECT_EQ(number(base, "select count(*) from streamed"), 0);
  }
}

TEST_P(RowStreams, a_row_that_does_not_fit_ends_it_and_so_does_a_statement_that_fails) {
  for (const Database& base : opener_->open_each_way()) {
    const Reading null = on_loop_.run(read_numbers(
        base, "select case when n = 900 then null else n end from " + differs().numbers(1000)));
    EXPECT_EQ(null.failure, FailureKind::row) << null.cause;
    EXPECT_EQ(on_loop_.run(read_numbers(base, "select 'word'")).failure, FailureKind::row);
    EXPECT_EQ(on_loop_.run(read_numbers(base, "select n from absent")).failure,
              FailureKind::statement);
    EXPECT_EQ(number(base, "select 1"), 1);
  }
  EXPECT_TRUE(gets_quiet());
}

TEST_P(RowStreams, an_error_amid_the_rows_is_thrown_after_those_before_it_and_again) {
  if (*differs().fails_amid == '\0') {
    GTEST_SKIP() << "MariaDB has read all rows when a stream begins";
  }
  const RuntimeSql sql{std::string("select ") + differs().fails_amid + " from " +
                       differs().numbers(9999)};
  on_each_way([&](Database base) -> Task<> {
    auto rows = base.stream<std::int64_t>(sql);
    const Reading reading = co_await read_rest(rows);
    EXPECT_TRUE(reading.failure);
    EXPECT_GT(reading.rows, 4800);  // the chunk with the error is not returned
    EXPECT_LT(reading.rows, 5000);
    const Reading again = co_await read_rest(rows);
    EXPECT_EQ(again.failure, reading.failure);
    EXPECT_EQ(again.rows, 0);
    EXPECT_EQ(co_await base.one<int>("select 1"), 1);
  });
  EXPECT_TRUE(gets_quiet());
}

TEST_P(RowStreams, one_that_is_dropped_frees_its_connection_and_stops_the_server) {
  on_each_way([](Database base) -> Task<> {
    for (int i = 0; i < 20; ++i) {
      auto rows = base.stream<std::int64_t>(many());
      EXPECT_EQ(co_await rows.next(), 1);
    }
    EXPECT_EQ(co_await base.one<int>("select 3"), 3);
  });
  EXPECT_TRUE(gets_quiet());
  // Streams destroyed while the server looks for the first row.
  const auto give_up = [](Database base) -> Task<> {
    for (int i = 0; i < 4; ++i) {
      const auto ask = [](Database asked) -> Task<> {
        auto rows = asked.stream<std::int64_t>(RuntimeSql{differs().waits});
        (void)co_await rows.next();
      };
      EXPECT_FALSE(co_await with_deadline(ask(base), 50ms));
    }
    EXPECT_EQ(co_await base.one<int>("select 3"), 3);
  };
  on_loop_.run(give_up(open({.connections_max = 1})));
  EXPECT_TRUE(gets_quiet());
}

TEST_P(RowStreams, one_whose_wait_was_given_up_cannot_be_used) {
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>(RuntimeSql{differs().waits});
    EXPECT_FALSE(co_await with_deadline(await_row(&rows), 50ms));
    EXPECT_EQ((co_await read_rest(rows)).failure, FailureKind::statement);
  };
  on_loop_.run(read(open()));
}

TEST_P(RowStreams, one_that_is_not_read_any_further_loses_its_connection) {
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>(many());
    EXPECT_EQ(co_await rows.next(), 1);
    // Waits until the first stream has lost its connection.
    auto second = on.stream<std::int64_t>(count_to(2));
    EXPECT_EQ(co_await second.next(), 1);
    const Reading rest = co_await read_rest(rows);
    EXPECT_EQ(rest.failure, FailureKind::expired);
    EXPECT_TRUE(rest.cause.contains("row stream")) << rest.cause;
  };
  on_loop_.run(read(open({.streams_max = 1, .limits = {.stream_idle_max = 300ms}})));
  EXPECT_TRUE(gets_quiet());
}

TEST_P(RowStreams, one_that_is_read_for_too_long_fails_and_so_does_a_slow_piece) {
  const auto read = [](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>(many());
    try {
      while (co_await rows.next()) {
        co_await sleep_for(1ms);
      }
    } catch (const db::Failure& failure) {
      co_return failure.kind();
    }
    co_return std::nullopt;
  };
  EXPECT_EQ(on_loop_.run(read(open({.limits = {.stream_time_max = 300ms}}))), FailureKind::expired);
  const Database impatient = open({.limits = {.statement_time_max = 1s}});
  EXPECT_EQ(on_loop_.run(read_numbers(impatient, differs().waits)).failure, FailureKind::expired);
  EXPECT_EQ(number(impatient, "select 1"), 1);
}

TEST_P(RowStreams, many_at_once_leave_connections_for_statements) {
  const Database base = open();
  script(base, "drop table if exists besides; create table besides(n int)");
  const auto read = [](Database on) -> Task<> {
    std::vector<Numbers> open;
    for (int i = 0; i < 2; ++i) {
      open.push_back(on.stream<std::int64_t>(many()));
      EXPECT_EQ(co_await open.back().next(), 1);
    }
    // The third stream waits until one of these ends; statements do not wait.
    Scope beside;
    bool has_begun = false;
    const auto third = [](Database asked, bool* begun) -> Task<> {
      auto rows = asked.stream<std::int64_t>(count_to(2));
      EXPECT_EQ(co_await rows.next(), 1);
      *begun = true;
    };
    beside.start(third(on, &has_begun));
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(co_await on.one<int>("select 1"), 1);
      co_await on.exec("insert into besides values($1)", i);
    }
    EXPECT_FALSE(has_begun);
    open.pop_back();
    co_await beside.join();
    EXPECT_TRUE(has_begun);
    EXPECT_EQ(co_await open.front().next(), 2);
  };
  on_loop_.run(read(base));
}

TEST_P(RowStreams, many_that_wait_do_not_keep_statements_out) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has another limit: SqliteStream tests it";
  }
  const auto read = [](Database on) -> Task<> {
    auto first = on.stream<std::int64_t>(many());
    EXPECT_EQ(co_await first.next(), 1);
    int refused = 0;
    Scope waiting;
    for (int i = 0; i < 6; ++i) {
      waiting.start(take_row(on, RuntimeSql{"select 1"}, &refused));
    }
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  };
  on_loop_.run(read(open({.connections_max = 2, .limits = {.queue_max = 4}})));
}

TEST_P(RowStreams, one_that_waits_for_too_long_is_refused) {
  const auto read = [](Database on) -> Task<> {
    auto first = on.stream<std::int64_t>(many());
    EXPECT_EQ(co_await first.next(), 1);
    auto second = on.stream<std::int64_t>("select 1");
    const Reading refused = co_await read_rest(second);
    EXPECT_EQ(refused.failure, FailureKind::busy);
    EXPECT_TRUE(refused.cause.contains("streams")) << refused.cause;
    EXPECT_EQ(co_await first.next(), 2);
  };
  on_loop_.run(read(open({.connections_max = 1, .streams_max = 1, .wait_time_max = 1500ms})));
}

TEST_P(RowStreams, within_a_transaction_it_sees_its_changes_and_other_statements_go_between) {
  const RuntimeSql fill{"insert into doubles select n, null from " + differs().numbers(500)};
  for (const Database& base : opener_->open_each_way()) {
    script(base,
           "drop table if exists doubles; create table doubles(n bigint primary key, twice "
           "bigint)");
    const auto body = [&fill](Transaction& all) -> Task<> {
      co_await all.exec(fill);
      auto rows = all.stream<std::int64_t>("select n from doubles order by n");
      auto beside = all.stream<std::int64_t>("select n from doubles order by n desc");
      auto dropped = std::optional(all.stream<std::int64_t>("select n from doubles"));
      EXPECT_TRUE(co_await dropped->next());
      dropped.reset();
      while (const auto n = co_await rows.next()) {
        EXPECT_EQ(co_await beside.next(), 501 - *n);
        co_await all.exec("update doubles set twice = $1 where n = $2", *n * 2, *n);
      }
    };
    on_loop_.run([](Database on, decltype(body) run) -> Task<> { co_await on.transaction(run); }(
                                                         base, body));
    EXPECT_EQ(number(base, "select count(*) from doubles where twice = 2 * n"), 500);
  }
}

TEST_P(RowStreams, after_its_transaction_it_returns_no_more_rows) {
  on_each_way([](Database base) -> Task<> {
    auto transaction = co_await base.begin();
    auto rows = transaction.stream<std::int64_t>(count_to(1000));
    EXPECT_EQ(co_await rows.next(), 1);
    co_await transaction.commit();
    EXPECT_EQ((co_await read_rest(rows)).failure, FailureKind::statement);
    EXPECT_EQ(co_await base.one<int>("select 3"), 3);
  });
}

TEST_P(RowStreams, its_rows_are_those_of_one_moment) {
  const Database base = open();
  script(base, "drop table if exists moments; create table moments as select n from " +
                   differs().numbers(1000));
  const auto read = [](Database on) -> Task<Reading> {
    auto rows = on.stream<std::int64_t>("select n from moments order by n");
    EXPECT_TRUE(co_await rows.next());
    co_await on.exec("update moments set n = 1");
    EXPECT_EQ(co_await on.one<int>("select max(n) from moments"), 1);
    co_await on.exec("delete from moments");
    co_return co_await read_rest(rows);
  };
  const Reading rest = on_loop_.run(read(base));
  EXPECT_EQ(rest.rows, 999);
  EXPECT_EQ(rest.sum, 500'499);
}

TEST_P(RowStreams, may_outlive_its_loop) {
  const Database base = open();
  std::optional<Numbers> left;
  {
    TestLoop other;
    const auto begin = [&left](Database on) -> Task<> {
      left.emplace(on.stream<std::int64_t>(many()));
      EXPECT_EQ(co_await left->next(), 1);
    };
    other.run(begin(base));
  }
  left.reset();
  EXPECT_EQ(number(base, "select 1"), 1);
  EXPECT_TRUE(gets_quiet());
}

TEST_P(RowStreams, reports_that_its_server_was_killed) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has no server";
  }
  const Database base = open();
  const auto read = [this](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>(many());
    EXPECT_EQ(co_await rows.next(), 1);
    opener_->kill();
    opener_->start();
    co_return (co_await read_rest(rows)).failure;
  };
  EXPECT_EQ(on_loop_.run(read(base)), FailureKind::lost);
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_P(RowStreams, does_not_wait_for_long_if_its_server_has_stopped) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has no server";
  }
  const auto read = [this](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>(many());
    EXPECT_EQ(co_await rows.next(), 1);
    opener_->signal(SIGSTOP);
    co_return (co_await read_rest(rows)).failure;
  };
  EXPECT_EQ(on_loop_.run(read(open({.limits = {.statement_time_max = 1s}}))), FailureKind::lost);
}

}  // namespace
}  // namespace eider
