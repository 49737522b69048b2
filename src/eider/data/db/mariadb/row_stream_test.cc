#include <cstdint>
#include <optional>
#include <string>

#include "eider/data/db/row_stream.h"
#include "tests/support/mariadb_tests.h"

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

using MariadbStream = MariadbTest;

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
  // Each of these rows is within the limit, but a whole fetch of them is far beyond it.
  const Reading together = on_loop_.run(read_all(base.stream<Numbered>(
      "select seq as n, repeat('x', case when seq < 3003 then 100 else 3000000 end) as words from "
      "seq_1_to_3100 order by n")));
  EXPECT_EQ(together.failure, FailureKind::row) << together.cause;
  EXPECT_TRUE(together.cause.contains("result_bytes_max")) << together.cause;
  const db::RuntimeSql values{is_mysql() ? "values row(7, 'a')" : "values(7, 'a')"};
  EXPECT_EQ(on_loop_.run(read_all(base.stream<Numbered>(values))).failure, FailureKind::row);
  EXPECT_EQ(number(base, "select 1"), 1);
}

}  // namespace
}  // namespace eider
