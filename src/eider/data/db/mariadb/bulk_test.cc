#include "eider/data/db/mariadb/bulk.h"

#include <chrono>
#include <csignal>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

struct Entry {
  std::int64_t n;
  std::string words;
};

Entry entry(std::int64_t n, std::string words) {
  return {.n = n, .words = std::move(words)};
}

enum class Shade : std::uint8_t { dark, light };

struct RichEntry {
  std::int64_t n;
  std::optional<std::string> words;
  std::optional<int> order;  // a reserved word of the server
  bool is_new;
  std::optional<double> weight;
  Shade shade;
  db::Blob bytes;
  std::vector<int> scores;
  Decimal price;
  std::chrono::sys_time<std::chrono::microseconds> at;
  std::chrono::microseconds length;
  bool operator==(const RichEntry&) const = default;
};

struct ReservedEntry {
  int default_;
  std::string class_;
};

/// The result of a bulk insert.
struct BulkOutcome {
  std::int64_t rows = -1;
  std::int64_t added = 0;  // before the failure
  std::optional<db::Failure> failure{};
};

class MariadbBulk : public MariadbTest {
 protected:
  void SetUp() override {
    if (is_mysql()) {
      GTEST_SKIP() << "MySQL takes no arrays of values";
    }
    script(open(),
           "drop table if exists entries; create table entries(n bigint primary key, words "
           "varchar(10000) not null check(words <> 'bad')) engine = InnoDB");
  }

  static Task<BulkOutcome> insert(Database on, std::vector<Entry> entries) {
    BulkOutcome outcome;
    try {
      auto rows = bulk_insert<Entry>(on, "entries");
      for (const Entry& one : entries) {
        co_await rows.add(one);
        ++outcome.added;
      }
      outcome.rows = (co_await rows.finish()).rows;
    } catch (const db::Failure& failure) {
      outcome.failure = failure;
    }
    co_return outcome;
  }
  static std::vector<Entry> many(std::int64_t count) {
    std::vector<Entry> entries;
    for (std::int64_t i = 1; i <= count; ++i) {
      entries.push_back(entry(i, "words of " + std::to_string(i)));
    }
    return entries;
  }
  [[nodiscard]] std::int64_t count() { return number(open(), "select count(*) from entries"); }
};

TEST_F(MariadbTest, a_bulk_is_refused_by_name_where_the_server_takes_none) {
  if (!is_mysql()) {
    GTEST_SKIP() << "MariaDB takes arrays of values";
  }
  on_loop_.run([](Database on) -> Task<> {
    co_await on.script(
        "drop table if exists entries; create table entries(n bigint primary key, words text)");
    auto rows = bulk_insert<Entry>(on, "entries");
    const Entry one = entry(1, "a");
    co_await rows.add(one);
    auto finishing = rows.finish();
    const db::Failure failure = co_await failure_of(finishing);
    EXPECT_EQ(failure.kind(), FailureKind::statement);
    EXPECT_TRUE(std::string(failure.what()).contains("does not support bulk inserts"))
        << failure.what();
    EXPECT_EQ(co_await on.one<int>("select count(*) from entries"), 0);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbBulk, has_all_rows_in_the_order_in_which_they_came) {
  EXPECT_EQ(on_loop_.run(insert(open(), many(20'000))).rows, 20'000);
  EXPECT_EQ(number(open(), "select count(*) from entries where words = concat('words of ', n)"),
            20'000);
  EXPECT_EQ(on_loop_.run(insert(open(), {})).rows, 0);
}

TEST_F(MariadbBulk, has_values_of_every_kind_as_statements_have) {
  script(open(),
         "drop table if exists rich; create table rich(n bigint, words text, `order` int, is_new "
         "bool, weight double, shade enum('dark', 'light'), bytes blob, scores json, price "
         "decimal(20, 4), at timestamp(6) null, length time(6), more int default 7)");
  const auto at = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + 12h + 5us;
  std::vector<RichEntry> all = {{.n = std::numeric_limits<std::int64_t>::min(),
                                 .words = {},
                                 .order = {},
                                 .is_new = false,
                                 .weight = {},
                                 .shade = Shade::dark,
                                 .bytes = {},
                                 .scores = {},
                                 .price = *Decimal::parse("0"),
                                 .at = at,
                                 .length = {}},
                                {.n = std::numeric_limits<std::int64_t>::max(),
                                 .words = "it's \"\\\n \xF0\x9F\xA6\x86 ?",
                                 .order = 3,
                                 .is_new = true,
                                 .weight = -1.5e300,
                                 .shade = Shade::light,
                                 .bytes = {std::byte{0}, std::byte{0xFF}, std::byte{'\''}},
                                 .scores = {1, 2},
                                 .price = *Decimal::parse("12345678901234.7891"),
                                 .at = at,
                                 .length = {}},
                                {.n = 0,
                                 .words = "",
                                 .order = {},
                                 .is_new = true,
                                 .weight = 0.1,
                                 .shade = Shade::dark,
                                 .bytes = {},
                                 .scores = {3},
                                 .price = *Decimal::parse("-0.5"),
                                 .at = at,
                                 .length = std::chrono::microseconds(5'400'250'000)}};
  const auto found = on_loop_.run([](Database on, std::vector<RichEntry> entries)
                                      -> Task<std::vector<RichEntry>> {
    auto rows = bulk_insert<RichEntry>(on, "test.rich");
    for (const RichEntry& one : entries) {
      co_await rows.add(one);
    }
    co_await rows.finish();
    co_return co_await on.all<RichEntry>(
        "select n, words, `order`, is_new, weight, shade, bytes, scores, price, at, length from "
        "rich where more = 7");
  }(open(), all));
  ASSERT_EQ(found.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(found[i].words, all[i].words);
    EXPECT_EQ(found[i].weight, all[i].weight);
    EXPECT_EQ(found[i].n, all[i].n);
    EXPECT_EQ(found[i].order, all[i].order);
    EXPECT_EQ(found[i].bytes, all[i].bytes);
    EXPECT_EQ(found[i].scores, all[i].scores);
    EXPECT_EQ(found[i].shade, all[i].shade);
    EXPECT_EQ(found[i].at, all[i].at);
    EXPECT_EQ(found[i].length, all[i].length);
  }
}

TEST_F(MariadbBulk, has_members_and_tables_with_reserved_names_as_records_have) {
  script(open(),
         "drop table if exists `order`; create table `order`(`default` int, class varchar(10))");
  const auto found = on_loop_.run([](Database on) -> Task<std::string> {
    auto rows = bulk_insert<ReservedEntry>(on, "order");
    const ReservedEntry sent{7, "a"};
    co_await rows.add(sent);
    co_await rows.finish();
    const auto text = co_await on.one<std::string>(
        "select concat(`default`, class) from `order` where class = 'a'");
    co_return text.value_or("none");
  }(open()));
  EXPECT_EQ(found, "7a");
  script(open(), "drop table `order`");
}

TEST_F(MariadbBulk, keeps_nothing_where_a_row_is_refused_and_tells_which) {
  struct Case {
    Entry entry;
    FailureKind kind;
  };
  const Case cases[] = {{entry(7, "twice"), FailureKind::unique},
                        {entry(100'000, "bad"), FailureKind::check},
                        {entry(100'000, std::string(10'001, 'x')), FailureKind::values}};
  for (const Case& one : cases) {
    std::vector<Entry> entries = many(10'000);
    entries[8'122] = one.entry;
    const BulkOutcome outcome = on_loop_.run(insert(open(), entries));
    ASSERT_TRUE(outcome.failure.has_value());
    EXPECT_EQ(outcome.failure->kind(), one.kind) << outcome.failure->what();
    EXPECT_EQ(outcome.failure->by().line, 8'123) << outcome.failure->what();
    EXPECT_EQ(count(), 0);
  }
  EXPECT_EQ(on_loop_.run(insert(open(), many(10))).rows, 10);
}

TEST_F(MariadbBulk, refuses_a_value_that_no_column_can_have_and_goes_on) {
  script(open(), "drop table if exists weights; create table weights(n bigint, weight double)");
  struct Weighed {
    std::int64_t n;
    double weight;
  };
  const std::int64_t rows = on_loop_.run([](Database on) -> Task<std::int64_t> {
    auto bulk = bulk_insert<Weighed>(on, "weights");
    const Weighed good{.n = 1, .weight = 1};
    const Weighed bad{.n = 2, .weight = std::numeric_limits<double>::infinity()};
    co_await bulk.add(good);
    bool is_refused = false;
    try {
      co_await bulk.add(bad);
    } catch (const db::Failure& failure) {
      is_refused = failure.kind() == FailureKind::values;
    }
    EXPECT_TRUE(is_refused);
    co_await bulk.add(good);
    const db::Changed done = co_await bulk.finish();
    co_return done.rows;
  }(open()));
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(number(open(), "select cast(sum(n) as signed) from weights"), 2);
}

TEST_F(MariadbBulk, refuses_names_that_are_none_and_other_tables) {
  struct Odd {
    int ж;
  };
  for (const char* table : {"", "a b", "a;b", "a.b.c", "a`b", "entries(n)"}) {
    EXPECT_THROW((void)bulk_insert<Entry>(open(), table), db::Failure) << table;
  }
  EXPECT_THROW((void)bulk_insert<Odd>(open(), "entries"), db::Failure);
  const BulkOutcome none = on_loop_.run([](Database on) -> Task<BulkOutcome> {
    BulkOutcome outcome;
    auto rows = bulk_insert<Entry>(on, "nowhere");
    const Entry one = entry(1, "a");
    co_await rows.add(one);
    try {
      co_await rows.finish();
    } catch (const db::Failure& failure) {
      outcome.failure = failure;
    }
    co_return outcome;
  }(open()));
  ASSERT_TRUE(none.failure.has_value());
  EXPECT_EQ(none.failure->kind(), FailureKind::statement);
}

TEST_F(MariadbBulk, is_a_part_of_the_transaction_that_it_is_asked_of) {
  on_loop_.run([](Database on) -> Task<> {
    Transaction kept = co_await on.begin();
    const Entry one = entry(1, "a");
    auto rows = bulk_insert<Entry>(kept, "entries");
    co_await rows.add(one);
    co_await rows.finish();
    EXPECT_EQ(co_await on.one<int>("select count(*) from entries"), 0);
    co_await kept.commit();
    EXPECT_EQ(co_await on.one<int>("select count(*) from entries"), 1);
  }(open()));
}

TEST_F(MariadbBulk, breaks_the_transaction_in_which_it_fails_or_is_left) {
  on_loop_.run([](Database on, std::vector<Entry> entries) -> Task<> {
    for (const bool is_left : {true, false}) {
      Transaction broken = co_await on.begin();
      co_await broken.exec("insert into entries values(-1, 'ahead')");
      {
        auto rows = bulk_insert<Entry>(broken, "entries");
        for (const Entry& one : entries) {
          co_await rows.add(one);
        }
        if (!is_left) {
          co_await rows.add(entries[0]);
          auto finishing = rows.finish();
          EXPECT_EQ((co_await failure_of(finishing)).kind(), FailureKind::unique);
        }
      }
      auto committing = broken.commit();
      EXPECT_EQ((co_await failure_of(committing)).kind(), FailureKind::statement);
      EXPECT_EQ(co_await on.one<int>("select count(*) from entries"), 0);
    }
  }(open(), many(8'000)));
}

TEST_F(MariadbBulk, that_is_left_keeps_nothing_and_gives_its_connection_back) {
  on_loop_.run([](Database on, std::vector<Entry> entries) -> Task<> {
    for (int i = 0; i < 8; ++i) {
      auto rows = bulk_insert<Entry>(on, "entries");
      for (const Entry& one : entries) {
        co_await rows.add(one);
      }
    }
    EXPECT_EQ(co_await on.one<int>("select count(*) from entries"), 0);
  }(open(), many(6'000)));
  EXPECT_EQ(on_loop_.run(insert(open(), many(100))).rows, 100);
}

/// Like a handler whose client disconnects, at each point of the insert.
TEST_F(MariadbBulk, that_is_destroyed_while_it_waits_keeps_nothing) {
  on_loop_.run([](Database on, std::vector<Entry> entries) -> Task<> {
    const auto never_end = [](Database base, std::vector<Entry> all) -> Task<> {
      auto rows = bulk_insert<Entry>(base, "entries");
      for (const Entry& one : all) {
        co_await rows.add(one);
      }
      co_await sleep_for(1h);
    };
    for (int i = 0; i < 24; ++i) {
      Scope scope;
      scope.start(never_end(on, entries));
      co_await sleep_for(std::chrono::microseconds(500 * i));
    }
    EXPECT_EQ(co_await on.one<int>("select count(*) from entries"), 0);
  }(open(), many(12'000)));
  EXPECT_EQ(on_loop_.run(insert(open(), many(100))).rows, 100);
}

TEST_F(MariadbBulk, fails_by_name_where_the_server_is_killed_in_its_midst) {
  const Database base = open();
  const BulkOutcome outcome =
      on_loop_.run([](Database on, std::vector<Entry> entries) -> Task<BulkOutcome> {
        BulkOutcome lost;
        auto rows = bulk_insert<Entry>(on, "entries");
        try {
          for (const Entry& one : entries) {
            co_await rows.add(one);
            if (++lost.added == 9'000) {
              MariadbServer::shared().kill();
            }
          }
          lost.rows = (co_await rows.finish()).rows;
        } catch (const db::Failure& failure) {
          lost.failure = failure;
        }
        co_return lost;
      }(base, many(20'000)));
  MariadbServer::shared().start();
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_EQ(outcome.failure->kind(), FailureKind::lost) << outcome.failure->what();
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(on_loop_.run(insert(base, many(100))).rows, 100);
}

TEST_F(MariadbBulk, waits_no_longer_than_its_time_for_a_server_that_stands_still) {
  const Database base = open({.limits = {.statement_time_max = 1s}});
  std::vector<Entry> first;
  first.push_back(entry(0, "first"));
  EXPECT_EQ(on_loop_.run(insert(base, first)).rows, 1);
  MariadbServer::shared().signal(SIGSTOP);
  const auto begun = std::chrono::steady_clock::now();
  const BulkOutcome outcome = on_loop_.run(insert(base, many(20'000)));
  const auto took = std::chrono::steady_clock::now() - begun;
  MariadbServer::shared().signal(SIGCONT);
  ASSERT_TRUE(outcome.failure.has_value());
  EXPECT_LT(took, 30s);
  EXPECT_EQ(count(), 1);
}

}  // namespace
}  // namespace eider
