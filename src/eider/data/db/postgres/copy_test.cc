#include "eider/data/db/postgres/copy.h"

#include <malloc.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

struct Counted {
  std::int64_t n;
  std::string words;
};

Counted counted(std::int64_t n, std::string words) {
  return {.n = n, .words = std::move(words)};
}

enum class Tone : std::uint8_t { dark, light };

struct RichRow {
  std::int64_t n;
  std::optional<std::string> words;
  bool is_new;
  double weight;
  Tone shade;
  db::Blob bytes;
  std::vector<std::string> tags;
  std::vector<int> scores;
  Decimal price;
  bool operator==(const RichRow&) const = default;
};

struct ReservedRow {
  std::int64_t order;
  std::string class_;
  std::vector<std::string> default_;
  bool operator==(const ReservedRow&) const = default;
};

struct OnlyWords {
  std::string words;
};

std::size_t bytes_on_heap() {
  return ::mallinfo2().uordblks + ::mallinfo2().hblkhd;
}

/// The result of a COPY.
struct CopyOutcome {
  std::int64_t rows = -1;
  std::int64_t added = 0;  // before the failure
  std::optional<db::Failure> failure{};
};

/// Loads a text in pieces of `cut` bytes.
Task<CopyOutcome> copy_text(Database on, std::string text, std::size_t cut,
                            std::string format = "csv, header") {
  CopyOutcome outcome;
  try {
    const std::string sql = "copy numbered(n, words) from stdin (format " + format + ")";
    CopyIn in = copy_in(on, db::RuntimeSql(sql));
    for (std::size_t at = 0; at < text.size(); at += cut) {
      co_await in.write(std::string_view(text).substr(at, cut));
    }
    outcome.rows = (co_await in.finish()).rows;
  } catch (const db::Failure& failure) {
    outcome.failure = failure;
  }
  co_return outcome;
}

class PostgresCopy : public PostgresTest {
 protected:
  void make_table(const Database& base) {
    script(base,
           "drop table if exists numbered; create table numbered(n bigint primary key, words text "
           "not null); drop table if exists only_words; create table only_words(words text)");
  }
  [[nodiscard]] CopyOutcome load(const Database& base, std::int64_t count,
                                 std::optional<std::int64_t> twice = std::nullopt) {
    return on_loop_.run(load_numbers(base, count, twice));
  }

  static Task<CopyOutcome> load_numbers(Database on, std::int64_t count,
                                        std::optional<std::int64_t> twice) {
    CopyOutcome outcome;
    try {
      auto rows = copy_in<Counted>(on, "numbered");
      for (std::int64_t n = 0; n < count; ++n) {
        const std::int64_t number = n == twice ? 0 : n;
        co_await rows.add(counted(number, "word"));
        ++outcome.added;
      }
      outcome.rows = (co_await rows.finish()).rows;
    } catch (const db::Failure& failure) {
      outcome.failure = failure;
    }
    co_return outcome;
  }
};

TEST_F(PostgresCopy, rows_of_a_struct_go_in_and_are_counted) {
  const Database base = open();
  make_table(base);
  const CopyOutcome outcome = load(base, 100'000);
  EXPECT_EQ(outcome.rows, 100'000);
  EXPECT_EQ(number(base, "select sum(n)::bigint from numbered"), 4'999'950'000);
  EXPECT_EQ(number(base, "select count(*) from numbered where words = 'word'"), 100'000);
}

TEST_F(PostgresCopy, all_kinds_of_values_come_back_as_they_went_in) {
  const Database base = open();
  script(base,
         "drop table if exists rich; drop type if exists tone; create type tone as "
         "enum('dark','light'); create table rich(n bigint, words text, is_new bool, weight "
         "float8, shade tone, bytes bytea, tags text[], scores jsonb, price numeric)");
  const std::vector<RichRow> sent = {
      {1,
       "tab\tline\nback\\slash\rö ,\"'",
       true,
       0.1,
       Tone::light,
       {std::byte{0}, std::byte{255}},
       {"a b", "c,\"d\\", ""},
       {1, 2},
       *Decimal::parse("12.50")},
      {2, std::nullopt, false, -1e300, Tone::dark, {}, {}, {}, *Decimal::parse("-0.001")},
      {3, "\\N", false, 3, Tone::dark, {}, {"\\."}, {7}, *Decimal::parse("0")},
      {4, "\\.", false, 3, Tone::dark, {}, {"NULL"}, {7}, *Decimal::parse("0")},
      {5, "", false, 3, Tone::dark, {}, {}, {}, *Decimal::parse("0")}};
  const auto rows = on_loop_.run([](Database on,
                                    std::vector<RichRow> all) -> Task<std::vector<RichRow>> {
    auto in = copy_in<RichRow>(on, "public.rich");
    for (const RichRow& row : all) {
      co_await in.add(row);
    }
    EXPECT_EQ((co_await in.finish()).rows, static_cast<std::int64_t>(all.size()));
    co_return co_await on.all<RichRow>(
        "select n, words, is_new, weight, shade, bytes, tags, scores, price from rich order by n");
  }(base, sent));
  EXPECT_EQ(rows, sent);
}

TEST_F(PostgresCopy, members_and_tables_may_have_reserved_names_as_for_records) {
  const Database base = open();
  script(base,
         "drop table if exists \"user\"; create table \"user\"(\"order\" bigint, class text, "
         "\"default\" text[])");
  const std::vector<ReservedRow> sent = {{1, "a", {"b", "c"}}, {2, "", {}}};
  const auto rows =
      on_loop_.run([](Database on, std::vector<ReservedRow> all) -> Task<std::vector<ReservedRow>> {
        auto in = copy_in<ReservedRow>(on, "user");
        for (const ReservedRow& row : all) {
          co_await in.add(row);
        }
        EXPECT_EQ((co_await in.finish()).rows, static_cast<std::int64_t>(all.size()));
        co_return co_await on.all<ReservedRow>(
            "select \"order\", class as class_, \"default\" as default_ from \"user\" order by 1");
      }(base, sent));
  EXPECT_EQ(rows, sent);
  script(base, "drop table \"user\"");
}

TEST_F(PostgresCopy, a_row_that_a_constraint_refuses_is_told_by_its_line_and_nothing_is_kept) {
  const Database base = open();
  make_table(base);
  const CopyOutcome outcome = load(base, 2'000'000, 1'000'000);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind(), FailureKind::unique);
  EXPECT_EQ(outcome.failure->by().constraint, "numbered_pkey");
  EXPECT_EQ(outcome.failure->by().line, 1'000'001);
  EXPECT_LT(outcome.added, 2'000'000) << "it was told ahead of the end";
  EXPECT_EQ(number(base, "select count(*) from numbered"), 0);
}

TEST_F(PostgresCopy, bytes_go_in_as_they_come_and_what_is_no_value_is_told_by_line_and_column) {
  const Database base = open();
  make_table(base);
  const std::string csv = "n,words\n1,\"one, or so\"\n2,\"two\nlines\"\n3,ö\n";
  for (const std::size_t cut : {1UL, 7UL, 1000UL}) {
    script(base, "truncate numbered");
    EXPECT_EQ(on_loop_.run(copy_text(base, csv, cut)).rows, 3);
    EXPECT_EQ(number(base, "select n from numbered where words = E'two\\nlines'"), 2);
  }
  for (const std::size_t cut : {1UL, 2UL, 1000UL}) {  // with the byte order mark of spreadsheets
    script(base, "truncate numbered");
    EXPECT_EQ(on_loop_
                  .run(copy_text(base,
                                 "\xEF\xBB\xBF"
                                 "1,\xEF\xBB\xBF"
                                 "a\n",
                                 cut, "csv"))
                  .rows,
              1);
    EXPECT_EQ(number(base, "select n from numbered where words = U&'\\FEFFa'"), 1);
    EXPECT_EQ(on_loop_
                  .run(copy_text(base,
                                 "\xEF\xBB"
                                 "1,a\n",
                                 cut, "csv"))
                  .failure->kind(),
              FailureKind::values);
  }
  script(base, "truncate numbered");
  EXPECT_EQ(on_loop_.run(copy_text(base, csv, 1000)).rows, 3);
  const CopyOutcome wrong = on_loop_.run(copy_text(base, "n,words\n7,a\nsecret,b\n", 1000));
  ASSERT_TRUE(wrong.failure.has_value());
  EXPECT_EQ(wrong.failure->kind(), FailureKind::values);
  EXPECT_EQ(wrong.failure->by().line, 3);
  EXPECT_EQ(wrong.failure->by().column, "n");
  EXPECT_FALSE(std::string(wrong.failure->what()).contains("secret"));
  EXPECT_EQ(number(base, "select count(*) from numbered"), 3);
}

TEST_F(PostgresCopy, data_after_an_end_marker_is_refused_and_not_dropped) {
  struct Case {
    std::string_view format;
    std::string_view text;
    std::int64_t rows;
    std::int64_t line;  // of the error; 0: there is none
  };
  const Case cases[] = {
      {"csv", "1,a\n\\.\n2,b\n", -1, 2},
      {"csv", "1,a\r\n2,\"b\n\"\"\n\"\r\n\\.\r\n3,c\r\n", -1, 5},
      {"csv, header", "\\.\n1,a\n", -1, 1},
      {"csv, quote '|'", "1,|a\n\\.\n|\n\\.\n2,b\"\n", -1, 4},
      {"csv, quote '''', escape '\\'", "1,'a\\'\n\\.\n'\n2,b\n\\.\nx", -1, 5},
      {"csv, quote E'\\x01'", "1,a\\n\n\\.\n2,b\n", -1, 2},
      {"csv, quote e'\\''", "1,'a\n\\.\n'\n\\.\n2,b\n", -1, 4},
      {"text", "1\ta\n\\.\n2\tb\n", -1, 2},
      {"text", "1\ta\n2\tb\\.\n3\tc\n", -1, 2},
      {"text", "1\ta\\\\.\n2\tb\n\\.\n\n3\tc\n", -1, 3},
      // Nothing is dropped: the marker is the end, or is part of a value.
      {"csv", "1,a\n2,b\n\\.\n", 2, 0},
      {"csv", "1,\"a\n\\.\nb\"\n2,\\.\n", 2, 0},
      {"text", "1\ta\n2\tb\n\\.\n\r\n", 2, 0},
      {"text", "1\t\\\\.\n2\t\\\n\\\\.\n", 2, 0},
  };
  const Database base = open();
  make_table(base);
  for (const Case& one : cases) {
    for (const std::size_t cut : {1UL, 2UL, 1000UL}) {
      script(base, "truncate numbered");
      const CopyOutcome outcome =
          on_loop_.run(copy_text(base, std::string(one.text), cut, std::string(one.format)));
      EXPECT_EQ(outcome.rows, one.rows) << one.text;
      EXPECT_EQ(outcome.failure ? outcome.failure->by().line : 0, one.line) << one.text;
      EXPECT_EQ(number(base, "select count(*) from numbered"), one.line == 0 ? one.rows : 0);
      if (outcome.failure) {
        EXPECT_EQ(outcome.failure->kind(), FailureKind::values) << outcome.failure->what();
      }
    }
  }
}

TEST_F(PostgresCopy, rows_of_a_struct_may_contain_an_end_marker) {
  const Database base = open();
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    auto rows = copy_in<OnlyWords>(on, "only_words");
    for (const char* const text : {"\\.", "a", "\\.\nb"}) {
      co_await rows.add({text});
    }
    EXPECT_EQ((co_await rows.finish()).rows, 3);
  }(base));
  EXPECT_EQ(number(base, "select count(*) from only_words where words = E'\\\\.'"), 1);
}

TEST_F(PostgresCopy, a_failure_is_told_to_who_adds_and_not_only_to_who_finishes) {
  const Database base = open();
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    CopyIn in = copy_in(on, "copy numbered from stdin");
    co_await in.write("1\ta\n1\tb\n");
    bool was_told = false;
    for (int i = 0; i < 5000 && !was_told; ++i) {
      try {
        co_await sleep_for(1ms);
        co_await in.write("2\tc\n");
      } catch (const db::Failure& failure) {
        was_told = true;
        EXPECT_EQ(failure.kind(), FailureKind::unique);
        EXPECT_EQ(failure.by().line, 2);
        EXPECT_TRUE(std::string(failure.what()).contains("copy numbered from stdin"));
      }
    }
    EXPECT_TRUE(was_told);
    EXPECT_THROW((void)co_await in.finish(), db::Failure);
  }(base));
}

TEST_F(PostgresCopy, notices_amid_it_are_no_failure) {
  const Database base = open();
  make_table(base);
  script(base,
         "create or replace function speak() returns trigger language plpgsql as $$ begin raise "
         "notice 'EEEE %', repeat('E', 500); return new; end $$; create trigger speaks before "
         "insert on numbered for each row execute function speak()");
  EXPECT_EQ(load(base, 50'000).rows, 50'000);
}

TEST_F(PostgresCopy, what_is_left_or_throws_keeps_nothing_and_frees_its_connection) {
  const Database base = open({.connections_max = 1});
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    for (int i = 0; i < 20; ++i) {
      try {
        auto rows = copy_in<Counted>(on, "numbered");
        for (int n = 0; n < i * 3000; ++n) {
          co_await rows.add(counted(n, "left"));
        }
        throw std::runtime_error("the producer");
      } catch (const std::runtime_error&) {
      }
    }
  }(base));
  EXPECT_EQ(number(base, "select count(*) from numbered"), 0);
  EXPECT_EQ(load(base, 10).rows, 10);
}

TEST_F(PostgresCopy, what_is_cancelled_amid_a_wait_keeps_nothing) {
  const Database base = open({.connections_max = 1});
  make_table(base);
  for (int turns = 0; turns < 40; ++turns) {
    on_loop_.run([](Database on, int after) -> Task<> {
      Scope scope;
      scope.start([](Database of) -> Task<> {
        (void)co_await load_numbers(std::move(of), 1'000'000, std::nullopt);
      }(on));
      co_await sleep_for(std::chrono::microseconds(after * 500));
    }(base, turns));
  }
  EXPECT_EQ(number(base, "select count(*) from numbered"), 0);
}

TEST_F(PostgresCopy, two_at_once_share_one_connection_in_turns) {
  const Database base = open({.connections_max = 1});
  make_table(base);
  script(base, "drop table if exists other; create table other(n bigint, words text)");
  on_loop_.run([](Database on) -> Task<> {
    Scope scope;
    std::int64_t other = 0;
    scope.start([](Database of, std::int64_t& rows) -> Task<> {
      auto in = copy_in<Counted>(of, "other");
      for (int n = 0; n < 20'000; ++n) {
        co_await in.add(counted(n, "b"));
      }
      rows = (co_await in.finish()).rows;
    }(on, other));
    const CopyOutcome outcome = co_await load_numbers(on, 20'000, std::nullopt);
    EXPECT_EQ(outcome.rows, 20'000);
    while (other == 0) {
      co_await sleep_for(1ms);
    }
    EXPECT_EQ(other, 20'000);
  }(base));
}

TEST_F(PostgresCopy, within_a_transaction_it_is_a_part_of_that) {
  const Database base = open();
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    {
      Transaction taken_back = co_await on.begin();
      auto rows = copy_in<Counted>(taken_back, "numbered");
      co_await rows.add(counted(1, "a"));
      EXPECT_EQ((co_await rows.finish()).rows, 1);
      EXPECT_EQ(co_await taken_back.one<int>("select count(*)::int from numbered"), 1);
    }
    EXPECT_EQ(co_await on.one<int>("select count(*)::int from numbered"), 0);
    Transaction kept = co_await on.begin();
    co_await kept.exec("insert into numbered values(7, 'x')");
    auto rows = copy_in<Counted>(kept, "numbered");
    co_await rows.add(counted(8, "a"));
    (void)co_await rows.finish();
    std::string out;
    CopyOut all = copy_out(kept, "copy (select * from numbered order by n) to stdout (format csv)");
    while (auto piece = co_await all.next()) {
      out += *piece;
    }
    EXPECT_EQ(out, "7,x\n8,a\n");
    co_await kept.commit();
  }(base));
  EXPECT_EQ(number(base, "select count(*) from numbered"), 2);
}

TEST_F(PostgresCopy, one_that_is_open_breaks_its_transaction_when_something_else_is_asked) {
  const Database base = open();
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    for (const bool is_in : {true, false}) {
      Transaction transaction = co_await on.begin();
      CopyIn in = copy_in(transaction, "copy numbered from stdin");
      CopyOut out = copy_out(transaction, "copy (select generate_series(1, 10000000)) to stdout");
      if (is_in) {
        co_await in.write("1\ta\n");
      } else {
        EXPECT_TRUE((co_await out.next()).has_value());
      }
      EXPECT_THROW((void)co_await transaction.one<int>("select 1"), db::Failure);
      EXPECT_THROW(co_await transaction.commit(), db::Failure);
    }
  }(base));
  EXPECT_EQ(number(base, "select count(*) from numbered"), 0);
}

TEST_F(PostgresCopy, a_table_comes_out_in_pieces_and_its_memory_stays_flat) {
  const Database base = open();
  (void)number(base, "select 1");
  const std::size_t before = bytes_on_heap();
  std::size_t most = 0;
  const auto [lines, bytes] = on_loop_.run(
      [](Database on, std::size_t& highest) -> Task<std::pair<std::size_t, std::size_t>> {
        CopyOut out = copy_out(
            on, "copy (select n, repeat('x', 100) from generate_series(1, 1000000) n) to stdout");
        std::pair<std::size_t, std::size_t> got{};
        while (auto piece = co_await out.next()) {
          got.first += static_cast<std::size_t>(std::ranges::count(*piece, '\n'));
          got.second += piece->size();
          highest = std::max(highest, bytes_on_heap());
        }
        co_return got;
      }(base, most));
  EXPECT_EQ(lines, 1'000'000U);
  EXPECT_EQ(bytes, 1'000'000U * 102 + 5'888'896U);
  EXPECT_LT(most - before, 4U << 20U);
}

TEST_F(PostgresCopy, what_is_left_ahead_of_its_last_piece_frees_its_connection) {
  const Database base = open({.connections_max = 1});
  on_loop_.run([](Database on) -> Task<> {
    for (int i = 0; i < 5; ++i) {
      CopyOut out = copy_out(on, "copy (select generate_series(1, 50000000)) to stdout");
      for (int piece = 0; piece < i; ++piece) {
        EXPECT_TRUE((co_await out.next()).has_value());
      }
    }
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  }(base));
}

TEST_F(PostgresCopy, an_empty_table_and_a_failure_on_the_way_out_are_told) {
  const Database base = open();
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    CopyOut none = copy_out(on, "copy numbered to stdout");
    EXPECT_EQ(co_await none.next(), std::nullopt);
    EXPECT_EQ(co_await none.next(), std::nullopt);
    CopyOut failing =
        copy_out(on, "copy (select 1 / (90000 - n) from generate_series(1, 100000) n) to stdout");
    std::size_t pieces = 0;
    std::optional<FailureKind> kind;
    try {
      while (co_await failing.next()) {
        ++pieces;
      }
    } catch (const db::Failure& failure) {
      kind = failure.kind();
    }
    EXPECT_EQ(kind, FailureKind::values);
    EXPECT_GT(pieces, 0U);
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  }(base));
}

TEST_F(PostgresCopy, a_row_that_is_larger_than_results_may_be_is_refused) {
  const Database base = open({.result_bytes_max = 1U << 20U});
  on_loop_.run([](Database on) -> Task<> {
    CopyOut out = copy_out(on, "copy (select repeat('x', 30000000)) to stdout");
    std::optional<FailureKind> kind;
    try {
      (void)co_await out.next();
    } catch (const db::Failure& failure) {
      kind = failure.kind();
    }
    EXPECT_EQ(kind, FailureKind::row);
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
  }(base));
}

TEST_F(PostgresCopy, what_is_no_copy_of_that_direction_is_refused) {
  const Database base = open();
  make_table(base);
  const auto kind_of = [this](Task<> asked) {
    return on_loop_.run([](Task<> task) -> Task<std::optional<FailureKind>> {
      try {
        co_await std::move(task);
      } catch (const db::Failure& failure) {
        co_return failure.kind();
      }
      co_return std::nullopt;
    }(std::move(asked)));
  };
  const auto in = [](Database on, db::RuntimeSql sql) -> Task<> {
    CopyIn copy = copy_in(on, sql);
    co_await copy.write("1\ta\n");
    (void)co_await copy.finish();
  };
  const auto out = [](Database on, db::RuntimeSql sql) -> Task<> {
    CopyOut copy = copy_out(on, sql);
    while (co_await copy.next()) {
    }
  };
  EXPECT_EQ(kind_of(in(base, {"copy numbered to stdout"})), FailureKind::statement);
  EXPECT_EQ(kind_of(in(base, {"select 1"})), FailureKind::statement);
  EXPECT_EQ(kind_of(in(base, {"copy missing from stdin"})), FailureKind::statement);
  EXPECT_EQ(kind_of(out(base, {"copy numbered from stdin"})), FailureKind::storage);
  EXPECT_EQ(kind_of(out(base, {"copy (delete from numbered returning 1) to stdout"})),
            FailureKind::storage);
  EXPECT_EQ(kind_of(in(base, {"copy numbered from stdin"})), std::nullopt);
  EXPECT_EQ(number(base, "select count(*) from numbered"), 1);
  EXPECT_THROW((void)copy_in<Counted>(base, "numbered; drop"), db::Failure);
}

TEST_F(PostgresCopy, a_zero_byte_is_refused_and_the_rest_goes_on) {
  const Database base = open();
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    auto rows = copy_in<Counted>(on, "numbered");
    co_await rows.add(counted(1, "a"));
    std::optional<FailureKind> kind;
    try {
      co_await rows.add(counted(2, std::string("a\0b", 3)));
    } catch (const db::Failure& failure) {
      kind = failure.kind();
    }
    EXPECT_EQ(kind, FailureKind::values);
    co_await rows.add(counted(3, "c"));
    EXPECT_EQ((co_await rows.finish()).rows, 2);
  }(base));
}

TEST_F(PostgresCopy, one_that_gets_nothing_for_too_long_is_taken_back) {
  const Database base = open({.limits = {.stream_idle_max = 50ms}});
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    CopyIn in = copy_in(on, "copy numbered from stdin");
    co_await in.write("1\ta\n");
    std::optional<FailureKind> kind;
    try {
      co_await sleep_for(200ms);
      co_await in.write("2\tb\n");
      (void)co_await in.finish();
    } catch (const db::Failure& failure) {
      kind = failure.kind();
    }
    EXPECT_EQ(kind, FailureKind::expired);
    EXPECT_EQ(co_await on.one<int>("select count(*)::int from numbered"), 0);
  }(base));
}

TEST_F(PostgresCopy, it_may_take_longer_than_a_statement) {
  const Database base = open({.limits = {.statement_time_max = 1s}});
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    CopyIn in = copy_in(on, "copy numbered from stdin");
    for (int i = 0; i < 8; ++i) {
      co_await in.write(std::to_string(i) + "\ta\n");
      co_await sleep_for(200ms);
    }
    EXPECT_EQ((co_await in.finish()).rows, 8);
  }(base));
}

TEST_F(PostgresCopy, one_that_waits_for_a_lock_for_too_long_expires) {
  const Database base = open({.limits = {.statement_time_max = 1s}});
  make_table(base);
  on_loop_.run([](Database on) -> Task<> {
    Transaction other = co_await on.begin();
    co_await other.exec("insert into numbered values(1, 'locked')");
    CopyIn in = copy_in(on, "copy numbered from stdin");
    std::optional<FailureKind> kind;
    try {
      for (int i = 1; i < 100'000; ++i) {
        co_await in.write(std::to_string(i) + "\t" + std::string(1000, 'x') + "\n");
      }
      (void)co_await in.finish();
    } catch (const db::Failure& failure) {
      kind = failure.kind();
    }
    EXPECT_EQ(kind, FailureKind::expired);
    co_await other.commit();
    EXPECT_EQ(co_await on.one<int>("select count(*)::int from numbered"), 1);
  }(base));
}

TEST_F(PostgresCopy, one_whose_transaction_expires_while_the_server_waits_frees_its_connection) {
  const Database base = open({.connections_max = 1, .limits = {.transaction_time_max = 1s}});
  const Database other = open();
  make_table(base);
  on_loop_.run([](Database on, Database beside) -> Task<> {
    Transaction holds = co_await beside.begin();
    co_await holds.exec("insert into numbered values(1, 'locked')");
    Transaction late = co_await on.begin();
    CopyIn in = copy_in(late, "copy numbered from stdin");
    std::string lines;
    for (int n = 1; n <= 5000; ++n) {  // the server inserts them in batches of 1,000
      lines += std::to_string(n) + "\ta\n";
    }
    co_await in.write(lines);
    std::int64_t open = 1;
    for (int i = 0; i < 60 && open != 0; ++i) {
      co_await sleep_for(100ms);
      open = (co_await beside.one<std::int64_t>("select count(*) from pg_stat_activity where pid "
                                                "<> pg_backend_pid() and query like 'copy numb%' "
                                                "and state = 'active'"))
                 .value_or(-1);
    }
    EXPECT_EQ(open, 0);
    EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    co_await holds.commit();
  }(base, other));
}

/// Returns the result of a COPY with an endless number of rows; runs `meanwhile` after the first
/// ones.
Task<std::optional<FailureKind>> load_until_it_fails(Database on, std::function<void()> meanwhile) {
  try {
    CopyIn in = copy_in(on, "copy numbered from stdin");
    for (int n = 0; n < 100'000'000; ++n) {
      co_await in.write(std::to_string(n) + "\t" + std::string(1000, 'x') + "\n");
      if (n == 1000) {
        meanwhile();
      }
    }
  } catch (const db::Failure& failure) {
    co_return failure.kind();
  }
  co_return std::nullopt;
}

TEST_F(PostgresCopy, a_server_that_dies_or_freezes_amid_it_fails_it_by_name) {
  PostgresServer server;
  const Database base =
      open_postgres(server.where(), {.wait_time_max = 20s, .limits = {.statement_time_max = 1s}});
  script(base, "create table numbered(n bigint primary key, words text)");
  const auto frozen = on_loop_.run(load_until_it_fails(base, [&] { server.signal_all(SIGSTOP); }));
  EXPECT_EQ(frozen, FailureKind::lost);
  server.signal_all(SIGCONT);
  EXPECT_EQ(number(base, "select count(*) from numbered"), 0);
  const auto killed = on_loop_.run(load_until_it_fails(base, [&] { server.kill(); }));
  EXPECT_EQ(killed, FailureKind::lost);
  server.start();
  EXPECT_EQ(number(base, "select count(*) from numbered"), 0);
  const auto stopped = on_loop_.run(load_until_it_fails(base, [&] { server.stop(); }));
  EXPECT_EQ(stopped, FailureKind::lost);
}

}  // namespace
}  // namespace eider
