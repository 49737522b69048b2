#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/row_stream.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

struct Numbered {
  std::int64_t n;
  std::string words;
};

/// What a stream came to: rows, their sum, and its failure.
struct Reading {
  std::int64_t rows = 0;
  std::int64_t sum = 0;
  std::optional<FailureKind> failure{};
  std::string cause{};
};

Task<Reading> read_all(db::RowStream<Numbered> stream) {
  Reading reading;
  try {
    while (const auto row = co_await stream.next()) {
      ++reading.rows;
      reading.sum += row->n;
    }
  } catch (const db::Failure& failure) {
    reading.failure = failure.kind();
    reading.cause = failure.what();
  }
  co_return reading;
}

/// What one fails with that was begun.
Task<std::optional<FailureKind>> failure_behind(db::RowStream<std::int64_t>& stream) {
  try {
    while (co_await stream.next()) {
    }
  } catch (const db::Failure& failure) {
    co_return failure.kind();
  }
  co_return std::nullopt;
}

std::size_t heap_bytes() {
  return ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
}

class MariadbStream : public MariadbTest {
 protected:
  ~MariadbStream() override { MariadbServer::shared().signal(SIGCONT); }

  /// Until the server runs nothing, and keeps no transaction open.
  [[nodiscard]] bool gets_quiet() {
    const Database other = open();
    for (int i = 0; i < 20'000; ++i) {
      if (number(other,
                 "select count(*) from information_schema.processlist where user = 'tester' and "
                 "command <> 'Sleep' and id <> connection_id()") == 0 &&
          number(other, "select count(*) from information_schema.innodb_trx") == 0) {
        return true;
      }
    }
    return false;
  }
};

TEST_F(MariadbStream, a_million_rows_take_no_more_memory_than_a_piece) {
  const Database base = open();
  (void)number(base, "select 1");
  const std::size_t before = heap_bytes();
  std::size_t most = before;
  const auto read = [&most](Database on) -> Task<std::int64_t> {
    auto rows = on.stream<Numbered>(
        "select seq as n, repeat('x', $1) as words from seq_1_to_1000000 order by n", 100);
    std::int64_t sum = 0;
    while (const auto row = co_await rows.next()) {
      sum += row->n;
      if (row->n % 10'000 == 0) {
        most = std::max(most, heap_bytes());
      }
    }
    co_return sum;
  };
  EXPECT_EQ(on_loop_.run(read(base)), 500'000'500'000);
  EXPECT_LT(most - before, 1'000'000U);
}

TEST_F(MariadbStream, values_are_bound_and_each_count_of_rows_comes_whole) {
  const Database base = open();
  for (const std::int64_t count : {0, 1, 15, 16, 17, 80, 81, 208, 1000}) {
    const Reading reading = on_loop_.run(read_all(base.stream<Numbered>(
        "select seq as n, $2 || '' as words from seq_1_to_1000 where seq <= $1; -- all", count,
        std::string("it's"))));
    EXPECT_EQ(reading.rows, count) << reading.cause;
    EXPECT_EQ(reading.sum, count * (count + 1) / 2);
  }
  const auto unkept = open({.statements_max = 0});
  EXPECT_EQ(on_loop_.run(read_all(unkept.stream<Numbered>("select 7 as n, 'a' as words"))).sum, 7);
  const db::RuntimeSql values{is_mysql() ? "values row(7, 'a')" : "values(7, 'a')"};
  EXPECT_EQ(on_loop_.run(read_all(unkept.stream<Numbered>(values))).failure, FailureKind::row);
}

TEST_F(MariadbStream, rows_of_any_size_come_up_to_the_bound) {
  const Database base = open({.result_bytes_max = std::size_t{4} << 20U});
  const Reading larger = on_loop_.run(read_all(base.stream<Numbered>(
      "select seq as n, repeat('x', case when seq < 300 then 100 else 200000 end) as words from "
      "seq_1_to_400 order by n")));
  EXPECT_EQ(larger.rows, 400) << larger.cause;
  const Reading beyond = on_loop_.run(read_all(base.stream<Numbered>(
      "select seq as n, repeat('x', case when seq < 90 then 100 else 5000000 end) as words from "
      "seq_1_to_100 order by n")));
  EXPECT_EQ(beyond.failure, FailureKind::row) << beyond.cause;
  EXPECT_GE(beyond.rows, 64);
  // Each of these is within the bound, and as many as are asked for at once are far beyond it.
  const Reading together = on_loop_.run(read_all(base.stream<Numbered>(
      "select seq as n, repeat('x', case when seq < 3003 then 100 else 3000000 end) as words from "
      "seq_1_to_3100 order by n")));
  EXPECT_EQ(together.failure, FailureKind::row) << together.cause;
  EXPECT_TRUE(together.cause.contains("result_bytes_max")) << together.cause;
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_F(MariadbStream, streams_of_other_columns_follow_each_other_on_one_connection) {
  const auto read = [](Database on) -> Task<std::string> {
    std::string all;
    for (int i = 0; i < 3; ++i) {
      auto numbers = on.stream<std::int64_t>("select seq from seq_1_to_2");
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
  EXPECT_EQ(on_loop_.run(read(open({.connections_max = 1}))), "12w12w12w");
}

TEST_F(MariadbStream, what_changes_something_is_refused) {
  const Database base = open();
  script(base,
         "drop table if exists streamed; create table streamed(n bigint, words text); drop "
         "function if exists put; create function put() returns int modifies sql data begin insert "
         "into streamed values(1, 'a'); return 1; end");
  for (const char* sql :
       {"insert into streamed values(1, 'a') returning n, words", "select put() as n, 'a' as words",
        "call put()", "select 1, 'a' into @n, @words"}) {
    const db::RuntimeSql text{sql};
    const Reading reading = on_loop_.run(read_all(base.stream<Numbered>(text)));
    EXPECT_TRUE(reading.failure) << sql;
  }
  EXPECT_EQ(number(base, "select count(*) from streamed"), 0);
}

TEST_F(MariadbStream, a_row_that_does_not_fit_ends_it_and_so_does_a_statement_that_fails) {
  const Database base = open({.connections_max = 1});
  EXPECT_EQ(on_loop_
                .run(read_all(base.stream<Numbered>(
                    "select seq as n, nullif(concat(seq), '900') as words from seq_1_to_1000")))
                .failure,
            FailureKind::row);
  EXPECT_EQ(on_loop_.run(read_all(base.stream<Numbered>("select n, words from absent"))).failure,
            FailureKind::statement);
  EXPECT_EQ(number(base, "select 1"), 1);
  EXPECT_TRUE(gets_quiet());
}

TEST_F(MariadbStream, one_that_is_left_frees_its_connection_and_lets_the_server_stop) {
  const Database base = open({.connections_max = 1});
  const auto leave = [](Database on) -> Task<> {
    // Left between two pieces.
    auto rows = on.stream<std::int64_t>("select seq from seq_1_to_100000");
    EXPECT_EQ(co_await rows.next(), 1);
  };
  on_loop_.run(leave(base));
  EXPECT_EQ(number(base, "select 3"), 3);
  EXPECT_TRUE(gets_quiet());
  const auto give_up = [](Database on) -> Task<> {
    // Left while the server looks for its first row.
    const auto ask = [](Database asked) -> Task<> {
      auto rows = asked.stream<std::int64_t>("select sleep(60)");
      (void)co_await rows.next();
    };
    EXPECT_FALSE(co_await with_deadline(ask(on), 200ms));
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  };
  on_loop_.run(give_up(base));
  EXPECT_TRUE(gets_quiet());
}

TEST_F(MariadbStream, an_asking_that_was_given_up_leaves_a_stream_of_no_use) {
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>("select sleep(1)");
    const auto ask = [](db::RowStream<std::int64_t>* asked) -> Task<> {
      (void)co_await asked->next();
    };
    EXPECT_FALSE(co_await with_deadline(ask(&rows), 50ms));
    EXPECT_EQ(co_await failure_behind(rows), FailureKind::statement);
  };
  on_loop_.run(read(open()));
}

TEST_F(MariadbStream, a_reader_that_never_asks_again_loses_its_connection) {
  const Database base = open({.limits = {.stream_idle_max = 300ms}});
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>("select seq from seq_1_to_100000");
    EXPECT_EQ(co_await rows.next(), 1);
    co_await sleep_for(400ms);
    EXPECT_EQ(co_await failure_behind(rows), FailureKind::expired);
  };
  on_loop_.run(read(base));
  EXPECT_TRUE(gets_quiet());
}

TEST_F(MariadbStream, one_that_is_read_for_too_long_fails_and_so_does_a_slow_piece) {
  const Database base = open({.limits = {.stream_time_max = 300ms}});
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>("select seq from seq_1_to_100000");
    std::optional<std::int64_t> row = co_await rows.next();
    try {
      while (row) {
        row = co_await rows.next();
        co_await sleep_for(1ms);
      }
      ADD_FAILURE() << "it came to an end";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::expired);
    }
  };
  on_loop_.run(read(base));
  const Database impatient = open({.limits = {.statement_time_max = 200ms}});
  EXPECT_EQ(on_loop_
                .run(read_all(impatient.stream<Numbered>(
                    "select sleep(0.05) as n, '' as words from seq_1_to_100")))
                .failure,
            FailureKind::expired);
  EXPECT_EQ(number(impatient, "select 1"), 1);
}

TEST_F(MariadbStream, many_at_once_leave_connections_for_statements) {
  const auto read = [](Database on) -> Task<> {
    std::vector<db::RowStream<std::int64_t>> open;
    for (int i = 0; i < 2; ++i) {
      open.push_back(on.stream<std::int64_t>("select seq from seq_1_to_10000"));
      EXPECT_EQ(co_await open.back().next(), 1);
    }
    // The third one waits for its turn, and others do not wait for it.
    Scope beside;
    bool has_begun = false;
    const auto third = [](Database asked, bool* begun) -> Task<> {
      auto rows = asked.stream<std::int64_t>("select 1");
      EXPECT_EQ(co_await rows.next(), 1);
      *begun = true;
    };
    beside.start(third(on, &has_begun));
    for (int i = 0; i < 20; ++i) {
      EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    }
    EXPECT_FALSE(has_begun);
    open.pop_back();
    co_await beside.join();
    EXPECT_TRUE(has_begun);
    EXPECT_EQ(co_await open.front().next(), 2);
  };
  on_loop_.run(read(open()));
}

TEST_F(MariadbStream, many_that_wait_keep_no_statement_out) {
  const auto read = [](Database on) -> Task<> {
    auto first = on.stream<std::int64_t>("select seq from seq_1_to_10000");
    EXPECT_EQ(co_await first.next(), 1);
    int refused = 0;
    const auto take_one = [](Database from, int* count) -> Task<> {
      auto rows = from.stream<std::int64_t>("select 1");
      try {
        (void)co_await rows.next();
      } catch (const db::Failure& failure) {
        *count += failure.kind() == FailureKind::busy ? 1 : 100;
      }
    };
    Scope waiting;
    for (int i = 0; i < 6; ++i) {
      waiting.start(take_one(on, &refused));
    }
    EXPECT_EQ(refused, 2);
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  };
  on_loop_.run(read(open({.connections_max = 2, .limits = {.queue_max = 4}})));
}

TEST_F(MariadbStream, within_a_transaction_it_sees_its_changes_and_other_statements_go_between) {
  const Database base = open();
  script(base,
         "drop table if exists doubles; create table doubles(n bigint primary key, twice bigint)");
  const auto fill = [](Transaction& all) -> Task<> {
    co_await all.exec("insert into doubles select seq, null from seq_1_to_500");
    auto rows = all.stream<std::int64_t>("select n from doubles order by n");
    auto beside = all.stream<std::int64_t>("select n from doubles order by n desc");
    while (const auto n = co_await rows.next()) {
      EXPECT_EQ(co_await beside.next(), 501 - *n);
      co_await all.exec("update doubles set twice = $1 where n = $2", *n * 2, *n);
    }
  };
  on_loop_.run([](Database on, decltype(fill) body) -> Task<> { co_await on.transaction(body); }(
                                                        base, fill));
  EXPECT_EQ(number(base, "select count(*) from doubles where twice = 2 * n"), 500);
}

TEST_F(MariadbStream, behind_its_transaction_it_gives_nothing_more) {
  const auto read = [](Database on) -> Task<> {
    auto transaction = co_await on.begin();
    auto rows = transaction.stream<std::int64_t>("select seq from seq_1_to_1000");
    EXPECT_EQ(co_await rows.next(), 1);
    co_await transaction.commit();
    EXPECT_EQ(co_await failure_behind(rows), FailureKind::statement);
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  };
  on_loop_.run(read(open({.connections_max = 1})));
}

TEST_F(MariadbStream, the_rows_are_of_one_moment) {
  const Database base = open();
  script(base,
         "drop table if exists moments; create table moments as select seq as n from "
         "seq_1_to_1000");
  const auto read = [](Database on) -> Task<std::int64_t> {
    auto rows = on.stream<std::int64_t>("select n from moments order by n");
    std::int64_t count = (co_await rows.next()).has_value() ? 1 : 0;
    co_await on.exec("delete from moments");
    while (co_await rows.next()) {
      ++count;
    }
    co_return count;
  };
  EXPECT_EQ(on_loop_.run(read(base)), 1000);
}

TEST_F(MariadbStream, may_outlive_its_loop) {
  std::optional<db::RowStream<std::int64_t>> left;
  {
    TestLoop other;
    const auto begin = [&left](Database on) -> Task<> {
      left.emplace(on.stream<std::int64_t>("select seq from seq_1_to_10000"));
      EXPECT_EQ(co_await left->next(), 1);
    };
    other.run(begin(open()));
  }
  left.reset();
  EXPECT_TRUE(gets_quiet());
}

TEST_F(MariadbStream, whose_server_dies_fails_by_name) {
  const Database base = open();
  const auto read = [](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>("select seq from seq_1_to_100000");
    EXPECT_EQ(co_await rows.next(), 1);
    MariadbServer::shared().kill();
    MariadbServer::shared().start();
    co_return co_await failure_behind(rows);
  };
  EXPECT_EQ(on_loop_.run(read(base)), FailureKind::lost);
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_F(MariadbStream, whose_server_stands_still_fails_in_time) {
  const Database base = open({.limits = {.statement_time_max = 400ms}});
  const auto read = [](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>("select seq from seq_1_to_100000");
    EXPECT_EQ(co_await rows.next(), 1);
    MariadbServer::shared().signal(SIGSTOP);
    co_return co_await failure_behind(rows);
  };
  const auto failure = on_loop_.run(read(base));
  MariadbServer::shared().signal(SIGCONT);
  EXPECT_EQ(failure, FailureKind::lost);
}

}  // namespace
}  // namespace eider
