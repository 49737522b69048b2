#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

struct Numbered {
  std::int64_t n;
  std::string words;
};

/// The result of a stream: number of rows, their sum, and its failure.
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

using PostgresStream = PostgresTest;

TEST_F(PostgresStream, rows_of_any_size_come_in_pieces_of_some_bytes) {
  const Database base = open({.result_bytes_max = std::size_t{4} << 20});
  const Reading reading = on_loop_.run(read_all(base.stream<Numbered>(
      "select n, repeat('x', case when n < 64 then 300000 else 1 end) as words "
      "from generate_series(0, 999) n")));
  EXPECT_EQ(reading.failure, FailureKind::row);  // the first piece has 16 of these rows
  const Reading smaller = on_loop_.run(read_all(base.stream<Numbered>(
      "select n, repeat('x', 100000) as words from generate_series(0::bigint, 299) n")));
  EXPECT_EQ(smaller.rows, 300) << smaller.cause;
  EXPECT_EQ(number(base, "select 1"), 1);
}

TEST_F(PostgresStream, rows_may_get_larger_further_down) {
  const Database base = open({.result_bytes_max = std::size_t{4} << 20});
  // The number of small rows before them determines whether the large ones begin or end a piece.
  for (std::int64_t small = 320; small < 480; small += 16) {
    const Reading once = on_loop_.run(read_all(base.stream<Numbered>(
        "select n, repeat('x', case when n < $1 then 100 else 50000 end) as words "
        "from generate_series(0::bigint, $1::bigint + 199) n",
        small)));
    EXPECT_EQ(once.rows, small + 200) << once.cause;
    // Once large rows were seen, no piece becomes too large, even after small rows.
    const Reading again = on_loop_.run(read_all(base.stream<Numbered>(
        "select n, repeat('x', case when n between 600 and 605 or n >= 2000 + $1 then 100000 "
        "else 100 end) as words from generate_series(0::bigint, 2000 + $1::bigint + 99) n",
        small)));
    EXPECT_EQ(again.rows, 2000 + small + 100) << again.cause;
  }
}

}  // namespace
}  // namespace eider
