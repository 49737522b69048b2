#include <malloc.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

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

std::int64_t resident_kilobytes(const std::string& process) {
  std::ifstream file("/proc/" + process + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoll(line.substr(6));
    }
  }
  return 0;
}

std::size_t heap_bytes() {
  return ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
}

class PostgresStream : public PostgresTest {
 protected:
  /// Until the server has heard that nobody wants anything of it.
  [[nodiscard]] bool gets_quiet(const Database& base) {
    for (int i = 0; i < 1000; ++i) {
      if (number(base,
                 "select count(*) from pg_stat_activity where pid <> pg_backend_pid() and "
                 "backend_type = 'client backend' and state <> 'idle'") == 0) {
        return true;
      }
    }
    return false;
  }
};

TEST_F(PostgresStream, a_million_rows_take_no_more_memory_than_a_piece_here_and_at_the_server) {
  const Database base = open({.limits = {.transaction_time_max = std::chrono::minutes(2)}});
  std::size_t most = 0;
  std::int64_t server_kilobytes = 0;
  (void)number(base, "select 1");
  const std::size_t before = heap_bytes();
  const auto read = [&](Database on) -> Task<std::int64_t> {
    auto transaction = co_await on.begin();
    const auto process = co_await transaction.one<int>("select pg_backend_pid()");
    auto rows = transaction.stream<Numbered>(
        "select n, repeat('x', 100) as words from generate_series(1::bigint, $1::bigint) n",
        1'000'000);
    std::int64_t sum = 0;
    while (const auto row = co_await rows.next()) {
      sum += row->n;
      if (row->n % 10'000 == 0) {
        most = std::max(most, heap_bytes());
      }
    }
    server_kilobytes = resident_kilobytes(std::to_string(*process));
    co_return sum;
  };
  EXPECT_EQ(on_loop_.run(read(base)), 500'000'500'000);
  EXPECT_LT(most - before, 1'000'000U);
  EXPECT_LT(server_kilobytes, 60'000);
}

TEST_F(PostgresStream, rows_of_any_size_come_in_pieces_of_some_bytes) {
  const Database base = open({.result_bytes_max = std::size_t{4} << 20});
  const Reading reading = on_loop_.run(read_all(base.stream<Numbered>(
      "select n, repeat('x', case when n < 64 then 300000 else 1 end) as words "
      "from generate_series(0, 999) n")));
  EXPECT_EQ(reading.failure, FailureKind::row);  // the first piece has 16 of them
  const Reading smaller = on_loop_.run(read_all(base.stream<Numbered>(
      "select n, repeat('x', 100000) as words from generate_series(0::bigint, 299) n")));
  EXPECT_EQ(smaller.rows, 300) << smaller.cause;
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_F(PostgresStream, rows_may_get_larger_further_down) {
  const Database base = open({.result_bytes_max = std::size_t{4} << 20});
  // By how many small ones stand ahead of them, the large ones begin a piece or end one.
  for (std::int64_t small = 320; small < 480; small += 16) {
    const Reading once = on_loop_.run(read_all(base.stream<Numbered>(
        "select n, repeat('x', case when n < $1 then 100 else 50000 end) as words "
        "from generate_series(0::bigint, $1::bigint + 199) n",
        small)));
    EXPECT_EQ(once.rows, small + 200) << once.cause;
    // Of those that were seen once no piece is full, though small ones come between.
    const Reading again = on_loop_.run(read_all(base.stream<Numbered>(
        "select n, repeat('x', case when n between 600 and 605 or n >= 2000 + $1 then 100000 "
        "else 100 end) as words from generate_series(0::bigint, 2000 + $1::bigint + 99) n",
        small)));
    EXPECT_EQ(again.rows, 2000 + small + 100) << again.cause;
  }
}

TEST_F(PostgresStream, values_are_bound_and_each_count_of_rows_comes_whole) {
  const Database base = open();
  for (const std::int64_t count : {0, 1, 15, 16, 17, 80, 81, 208, 1000}) {
    const Reading reading = on_loop_.run(read_all(base.stream<Numbered>(
        "select n, $2 || '' as words from generate_series(1::bigint, $1) n; -- all", count,
        std::string("it's"))));
    EXPECT_EQ(reading.rows, count) << reading.cause;
    EXPECT_EQ(reading.sum, count * (count + 1) / 2);
  }
  const auto in_text = open({.statements_max = 0});
  EXPECT_EQ(on_loop_.run(read_all(in_text.stream<Numbered>("select 7 as n, 'a' as words"))).sum, 7);
}

TEST_F(PostgresStream, streams_of_other_columns_follow_each_other_on_one_connection) {
  const Database base = open({.connections_max = 1});
  const auto read = [](Database on) -> Task<std::string> {
    std::string all;
    for (int i = 0; i < 3; ++i) {
      auto numbers = on.stream<std::int64_t>("select 1::bigint as a union all select 2 order by a");
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
  EXPECT_EQ(on_loop_.run(read(base)), "12w12w12w");
}

TEST_F(PostgresStream, an_error_amid_the_rows_is_thrown_behind_those_ahead_of_it_and_again) {
  const Database base = open();
  const auto read = [](Database on) -> Task<std::pair<std::int64_t, int>> {
    auto rows = on.stream<std::int64_t>(
        "select 1 / (5000 - n) + n from generate_series(1::bigint, 9999) n");
    std::int64_t count = 0;
    int failures = 0;
    while (failures < 2) {
      try {
        while (co_await rows.next()) {
          ++count;
        }
        co_return std::pair(count, -1);
      } catch (const db::Failure& failure) {
        EXPECT_TRUE(std::string(failure.what()).contains("division by zero")) << failure.what();
        ++failures;
      }
    }
    co_return std::pair(count, failures);
  };
  const auto [count, failures] = on_loop_.run(read(base));
  EXPECT_EQ(failures, 2);
  EXPECT_GT(count, 4800);  // the piece that fails is not told of
  EXPECT_LT(count, 5000);
  EXPECT_EQ(number(base, "select 1"), 1);
  EXPECT_TRUE(gets_quiet(base));
}

TEST_F(PostgresStream, what_changes_something_is_refused) {
  const Database base = open();
  script(base, "drop table if exists streamed; create table streamed(n bigserial, words text)");
  const Reading insert = on_loop_.run(
      read_all(base.stream<Numbered>("insert into streamed values(1, 'a') returning n, words")));
  EXPECT_EQ(insert.failure, FailureKind::statement);
  const Reading hidden = on_loop_.run(
      read_all(base.stream<Numbered>("select nextval('streamed_n_seq') as n, 'a' as words")));
  EXPECT_EQ(hidden.failure, FailureKind::storage) << hidden.cause;  // a read-only transaction
  EXPECT_EQ(number(base, "select count(*) from streamed"), 0);
}

TEST_F(PostgresStream, a_row_that_does_not_fit_ends_it) {
  const Database base = open();
  const Reading reading = on_loop_.run(read_all(
      base.stream<Numbered>("select n, nullif(n, 900)::text as words from generate_series(1, "
                            "1000) n")));
  EXPECT_EQ(reading.failure, FailureKind::row) << reading.cause;
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_F(PostgresStream, one_that_is_left_lets_the_server_stop) {
  const Database base = open();
  const auto leave = [](Database on) -> Task<> {
    // Left between two pieces.
    auto rows = on.stream<std::int64_t>("select generate_series(1::bigint, 1000000000)");
    EXPECT_EQ(co_await rows.next(), 1);
  };
  on_loop_.run(leave(base));
  EXPECT_TRUE(gets_quiet(base));
  const auto give_up = [](Database on) -> Task<> {
    // Left while the server looks for its first row.
    const auto ask = [](Database asked) -> Task<> {
      auto rows = asked.stream<std::string>("select 'late' where pg_sleep(60) is null");
      (void)co_await rows.next();
    };
    EXPECT_FALSE(co_await with_deadline(ask(on), 200ms));
    const Instant end = Loop::current().read_now() + 5s;
    std::int64_t sleeping = 1;
    while (sleeping != 0 && Loop::current().read_now() < end) {
      sleeping = *co_await on.one<std::int64_t>(
          "select count(*) from pg_stat_activity where pid <> pg_backend_pid() and query like "
          "'%pg_sleep(60)%' and state <> 'idle'");
    }
    EXPECT_EQ(sleeping, 0);
  };
  on_loop_.run(give_up(base));
}

TEST_F(PostgresStream, an_asking_that_was_given_up_leaves_a_stream_of_no_use) {
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::string>("select 'a' where pg_sleep(1) is not null");
    const auto ask = [](db::RowStream<std::string>* asked) -> Task<> {
      (void)co_await asked->next();
    };
    EXPECT_FALSE(co_await with_deadline(ask(&rows), 50ms));
    try {
      (void)co_await rows.next();
      ADD_FAILURE() << "it went on";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::statement);
    }
  };
  on_loop_.run(read(open()));
}

TEST_F(PostgresStream, a_reader_that_never_asks_again_loses_its_connection) {
  const Database base = open({.limits = {.stream_idle_max = 300ms}});
  const auto read = [](Database on) -> Task<> {
    auto rows = on.stream<std::int64_t>("select generate_series(1::bigint, 1000000000)");
    EXPECT_EQ(co_await rows.next(), 1);
    const auto busy = [](Database asked) -> Task<std::int64_t> {
      co_return *co_await asked.one<std::int64_t>(
          "select count(*) from pg_stat_activity where state = 'idle in transaction'");
    };
    EXPECT_EQ(co_await busy(on), 1);
    const Instant end = Loop::current().read_now() + 10s;
    while (co_await busy(on) != 0 && Loop::current().read_now() < end) {
      co_await sleep_for(20ms);
    }
    EXPECT_EQ(co_await busy(on), 0);
    try {
      while (co_await rows.next()) {
      }
      ADD_FAILURE() << "it came to an end";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::expired);
    }
  };
  on_loop_.run(read(base));
}

TEST_F(PostgresStream, one_that_is_read_for_too_long_fails_and_so_does_a_slow_piece) {
  const Database base = open({.limits = {.stream_time_max = 300ms}});
  EXPECT_EQ(on_loop_
                .run(read_all(base.stream<Numbered>(
                    "select n, '' as words from generate_series(1::bigint, 1000000000) n")))
                .failure,
            FailureKind::expired);
  const Database impatient = open({.limits = {.statement_time_max = 200ms}});
  EXPECT_EQ(on_loop_
                .run(read_all(impatient.stream<Numbered>(
                    "select n, pg_sleep(0.05)::text as words from generate_series(1, 100) n")))
                .failure,
            FailureKind::expired);
  EXPECT_EQ(number(impatient, "select 1"), 1);
}

TEST_F(PostgresStream, many_at_once_leave_connections_for_statements) {
  const Database base = open();
  const auto read = [](Database on) -> Task<> {
    std::vector<db::RowStream<std::int64_t>> open;
    for (int i = 0; i < 2; ++i) {
      open.push_back(on.stream<std::int64_t>("select generate_series(1::bigint, 1000000)"));
      EXPECT_EQ(co_await open.back().next(), 1);
    }
    // The third one waits for its turn, and others do not wait for it.
    Scope beside;
    bool has_begun = false;
    const auto third = [](Database asked, bool* begun) -> Task<> {
      auto rows = asked.stream<std::int64_t>("select generate_series(1::bigint, 10)");
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
  on_loop_.run(read(base));
}

TEST_F(PostgresStream, many_that_wait_keep_no_statement_out) {
  const Database base = open({.connections_max = 2, .limits = {.queue_max = 4}});
  const auto read = [](Database on) -> Task<> {
    auto first = on.stream<std::int64_t>("select generate_series(1::bigint, 1000000)");
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
  on_loop_.run(read(base));
}

TEST_F(PostgresStream, of_too_many_the_last_is_refused_in_time) {
  const Database base = open({.connections_max = 1, .wait_time_max = 200ms});
  const auto read = [](Database on) -> Task<> {
    auto first = on.stream<std::int64_t>("select generate_series(1::bigint, 1000000)");
    EXPECT_EQ(co_await first.next(), 1);
    auto second = on.stream<std::int64_t>("select 1");
    try {
      (void)co_await second.next();
      ADD_FAILURE() << "it went on";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::busy);
      EXPECT_TRUE(std::string(failure.what()).contains("streams")) << failure.what();
    }
  };
  on_loop_.run(read(base));
}

TEST_F(PostgresStream, within_a_transaction_it_sees_its_changes_and_other_statements_go_between) {
  const Database base = open();
  script(base,
         "drop table if exists doubles; create table doubles(n bigint primary key, twice bigint)");
  const auto fill = [](Transaction& all) -> Task<> {
    co_await all.exec("insert into doubles select generate_series(1::bigint, 500), null");
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

TEST_F(PostgresStream, behind_its_transaction_it_gives_nothing_more) {
  const auto read = [](Database on) -> Task<> {
    auto transaction = co_await on.begin();
    auto rows = transaction.stream<std::int64_t>("select generate_series(1::bigint, 1000)");
    EXPECT_EQ(co_await rows.next(), 1);
    co_await transaction.commit();
    try {
      while (co_await rows.next()) {
      }
      ADD_FAILURE() << "it came to an end";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::statement);
    }
  };
  on_loop_.run(read(open()));
}

TEST_F(PostgresStream, the_rows_are_of_one_moment) {
  const Database base = open();
  script(base,
         "drop table if exists moments; create table moments as select generate_series(1, "
         "1000)::bigint as n");
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

TEST_F(PostgresStream, ends_with_its_loop_and_with_its_database) {
  std::optional<db::RowStream<std::int64_t>> left;
  {
    TestLoop other;
    const auto begin = [&left](Database on) -> Task<> {
      left.emplace(on.stream<std::int64_t>("select generate_series(1::bigint, 1000000)"));
      EXPECT_EQ(co_await left->next(), 1);
    };
    other.run(begin(open()));
  }
  left.reset();
  EXPECT_TRUE(gets_quiet(open()));
}

/// What a server does that dies, with a stream open.
TEST_F(PostgresStream, whose_connection_ends_fails_by_name) {
  const Database base = open();
  const auto read = [](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>("select generate_series(1::bigint, 1000000)");
    EXPECT_EQ(co_await rows.next(), 1);
    co_await on.exec(
        "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in "
        "transaction'");
    try {
      while (co_await rows.next()) {
      }
    } catch (const db::Failure& failure) {
      co_return failure.kind();
    }
    co_return std::nullopt;
  };
  EXPECT_EQ(on_loop_.run(read(base)), FailureKind::lost);
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_F(PostgresStream, whose_server_stands_still_fails_in_time) {
  const Database base = open({.limits = {.statement_time_max = 400ms}});
  const auto read = [](Database on) -> Task<std::optional<FailureKind>> {
    auto rows = on.stream<std::int64_t>("select generate_series(1::bigint, 1000000)");
    EXPECT_EQ(co_await rows.next(), 1);
    PostgresServer::shared().signal_all(SIGSTOP);
    try {
      while (co_await rows.next()) {
      }
    } catch (const db::Failure& failure) {
      co_return failure.kind();
    }
    co_return std::nullopt;
  };
  const auto failure = on_loop_.run(read(base));
  PostgresServer::shared().signal_all(SIGCONT);
  EXPECT_EQ(failure, FailureKind::lost);
}

}  // namespace
}  // namespace eider
