#define EIDER_CHECKED_SQL "tests/checked_sql/kinds.h"
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

struct Thing {
  std::int64_t id;
  TimeOfDay starts;
  Decimal price;
  Uuid code;
  std::chrono::year_month_day day;
  std::chrono::sys_seconds at;
  std::chrono::local_seconds local;
  std::chrono::seconds lasts;
  std::string name;
  std::vector<std::byte> body;
  double stars;
};

struct Hours {
  std::int64_t id;
  TimeOfDay starts;
};

struct Sought {
  std::int64_t id;
  std::optional<TimeOfDay> starts;
};

// A named constant: g++ 14 does not accept a temporary in a coroutine as a constant expression.
constexpr db::UncheckedSql kInsert = db::unchecked("insert into things values (7, '09:30:00')");
constexpr const char* kHours = "select id, starts from things";

Task<std::size_t> read(Database base) {
  co_await base.script("create table things(id integer primary key, starts text not null)");
  co_await base.exec(kInsert);
  const std::vector<Hours> all = co_await base.all<Hours>("select id, starts from things");
  const std::optional<TimeOfDay> one = co_await base.one<TimeOfDay>("select starts from things");
  const std::optional<Hours> joined =
      co_await base.one<Hours>({kHours, "where id = $1"}, std::int64_t{7});
  const std::optional<Sought> sought =
      co_await base.one<Sought>(db::sql(kHours, "where id = $1"), std::int64_t{8});
  const std::optional<Hours> unchecked = co_await base.one<Hours>(
      db::unchecked(db::sql(kHours, "where starts > $1", "limit 1")), std::string("09"));
  co_return all.size() + (one == all.at(0).starts ? 1U : 0U) +
      (joined.has_value() && joined->id == 7 ? 1U : 0U) + (sought.has_value() ? 0U : 1U) +
      (unchecked.has_value() ? 1U : 0U);
}

TEST(CheckedSql, every_kind_of_a_row_compiles) {
  const Database base = open_sqlite(":memory:");
  (void)base.all<Thing>(
      "select id, starts, price, code, day, at, local, lasts, name, body, stars from things");
}

TEST(CheckedSql, statements_are_joined_of_pieces) {
  TestLoop on_loop;
  EXPECT_EQ(on_loop.run(read(open_sqlite(":memory:"))), 5U);
}

}  // namespace
}  // namespace eider
