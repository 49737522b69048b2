// Values of every member type, written to a column and read again.
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

enum class TripColour : std::uint8_t { red, dark_blue };

struct TripPlace {
  std::string name;
  std::vector<int> numbers;
  friend bool operator==(const TripPlace&, const TripPlace&) = default;
};

template <class T>
struct TripRow {
  T v{};
};

/// Returns a new name each time: a prepared statement keeps the types of the first table with its
/// name.
std::string new_trip_table() {
  static int count = 0;
  return "trips_" + std::to_string(++count);
}

/// Writes `value` to a new column, and reads it as a member and as a single value.
///
/// type  the type of the column
template <class T>
Task<> round_trip(Database on, std::string type, T value) {
  const std::string table = new_trip_table();
  const db::RuntimeSql create{"create table " + table + "(v " + type + ")"};
  const db::RuntimeSql insert{"insert into " + table + " values($1)"};
  const db::RuntimeSql select{"select v from " + table};
  const db::RuntimeSql drop{"drop table " + table};
  co_await on.exec(create);
  try {
    co_await on.exec(insert, value);
    const auto row = co_await on.template one<TripRow<T>>(select);
    EXPECT_TRUE(row && row->v == value) << type;
    if constexpr (!std::same_as<T, TripPlace>) {  // a struct is a row
      const auto single = co_await on.template one<T>(select);
      EXPECT_TRUE(single == value) << type;
    }
    const auto some = co_await on.template one<TripRow<std::optional<T>>>(select);
    EXPECT_TRUE(some && some->v == value) << type;
  } catch (const db::Failure& failure) {
    ADD_FAILURE() << type << ": " << failure.what();
  }
  co_await on.exec(drop);
}

const auto kInstant = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22) + 18h + 5min + 7s;
const auto kPrecise = kInstant + 250ms + 125us;
const std::chrono::local_time<std::chrono::seconds> kLocal{kInstant.time_since_epoch()};
const std::chrono::year_month_day kDay = std::chrono::year(1815) / 12 / 9;
const TimeOfDay kClock = TimeOfDay::at(14h + 30min + 15s + 250ms);
const Uuid kUuid = *Uuid::parse("f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
const Decimal kPrice = *Decimal::parse("-1234.50");
const db::Blob kBytes{std::byte{0}, std::byte{255}, std::byte{'x'}};
const TripPlace kPlace{.name = "a \"b\"", .numbers = {1, -2}};

class RoundTrips : public DatabaseTest {};

INSTANTIATE_TEST_SUITE_P(On, RoundTrips, each_database(), name_of_database);

/// Not a lambda: g++ 14 crashes on initializer lists within co_await in a lambda.
Task<> round_trips(Database on, ColumnTypes types) {
  co_await round_trip(on, types.boolean, true);
  co_await round_trip(on, types.tiny, std::int8_t{-128});
  co_await round_trip(on, types.small, std::int16_t{-32768});
  co_await round_trip(on, types.integer, 2147483647);
  co_await round_trip(on, types.integer, Bounded<int, 0, 9>(3));
  co_await round_trip(on, types.bigint, std::int64_t{INT64_MIN});
  co_await round_trip(on, types.bigint, std::uint64_t{INT64_MAX});
  co_await round_trip(on, types.positive, std::uint32_t{UINT32_MAX});
  co_await round_trip(on, types.single, 0.1F);
  co_await round_trip(on, types.real, 1e300);
  co_await round_trip(on, types.real, 0.1);
  co_await round_trip(on, types.text, std::string("\xC3\xA4 'b' \\ \n 🦆 $1 ?"));
  co_await round_trip(on, types.text, TripColour::dark_blue);
  co_await round_trip(on, types.text, std::chrono::seconds(-0));
  co_await round_trip(on, types.text, std::chrono::milliseconds(93'784'250));
  co_await round_trip(on, types.bytes, kBytes);
  co_await round_trip(on, types.bytes, db::Blob());
  co_await round_trip(on, types.date, kDay);
  co_await round_trip(on, types.date, std::chrono::year(9999) / 11 / 23);
  co_await round_trip(on, types.time, kClock);
  co_await round_trip(on, types.instant, kInstant);
  co_await round_trip(on, types.instant, kPrecise);
  co_await round_trip(on, types.local, kLocal);
  co_await round_trip(on, types.local, kLocal + 4us);
  co_await round_trip(on, types.uuid, kUuid);
  co_await round_trip(on, types.decimal, kPrice);
  co_await round_trip(on, types.json, kPlace);
  co_await round_trip(on, types.json, std::vector<TripPlace>{kPlace, {}});
  co_await round_trip(on, types.json, std::vector<int>{1, 2, 3});
  co_await round_trip(on, types.json, std::map<std::string, int>{{"a", 1}});
  co_await round_trip(on, types.json, std::vector<TripColour>{TripColour::dark_blue});
}

/// Values that a database stores with other digits than it was sent.
Task<> edge_trips(Database on, ColumnTypes types) {
  const TimeOfDay last = TimeOfDay::at(24h - 1us);
  co_await on.exec("create table edges(t time(6), d numeric(30, 10))");
  co_await on.exec("insert into edges values($1, $2)", TimeOfDay::at(24h - 1ns),
                   *Decimal::parse("-99999999999999999.5"));
  const auto time = co_await on.one<TimeOfDay>("select t from edges");
  EXPECT_EQ(time, last);
  const auto price = co_await on.one<Decimal>("select d from edges");
  EXPECT_EQ(price, Decimal::parse("-99999999999999999.5"));
  co_await on.exec("drop table edges");
  co_await round_trip(on, types.time, last);
}

TEST_P(RoundTrips, return_times_and_decimals_at_the_edge_of_their_columns) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite stores the texts as they are";
  }
  on_each_way([](Database on) { return edge_trips(on, differs().types); });
}

TEST_P(RoundTrips, return_a_value_of_every_type) {
  on_each_way([](Database on) { return round_trips(on, differs().types); });
}

struct MixedRow {
  bool yes;
  std::int64_t large;
  double real;
  std::string words;
  db::Blob bytes;
  std::optional<int> absent;
  std::chrono::sys_time<std::chrono::microseconds> instant;
  std::chrono::year_month_day day;
  Uuid id;
  Decimal price;
  TripColour colour;
  std::vector<int> list;

  friend bool operator==(const MixedRow&, const MixedRow&) = default;
};

TEST_P(RoundTrips, return_a_row_of_many_types) {
  const MixedRow sent{.yes = true,
                      .large = INT64_MIN,
                      .real = 1e300,
                      .words = "it's",
                      .bytes = kBytes,
                      .absent = std::nullopt,
                      .instant = kPrecise,
                      .day = kDay,
                      .id = kUuid,
                      .price = kPrice,
                      .colour = TripColour::red,
                      .list = {1, 2, 3}};
  const ColumnTypes& t = differs().types;
  const std::string sql = std::string("create table mixed(yes ") + t.boolean + ", large " +
                          t.bigint + ", realer " + t.real + ", words " + t.text + ", bytes " +
                          t.bytes + ", absent " + t.integer + ", instant " + t.instant + ", day " +
                          t.date + ", id " + t.uuid + ", price " + t.decimal + ", colour " +
                          t.text + ", list " + t.json + ")";
  for (const Database& base : opener_->open_each_way()) {
    script(base, "drop table if exists mixed; " + sql);
    on_loop_.run([](Database on, MixedRow row) -> Task<> {
      co_await on.exec(
          "insert into mixed values($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)", row.yes,
          row.large, row.real, row.words, row.bytes, row.absent, row.instant, row.day, row.id,
          row.price, row.colour, row.list);
      co_await on.exec("insert into mixed select * from mixed");
      const auto rows = co_await on.all<MixedRow>(
          "select yes, large, realer as \"real\", words, bytes, absent, instant, day, id, price, "
          "colour, list from mixed where yes = $1",
          true);
      EXPECT_EQ(rows.size(), 2U);
      for (const MixedRow& got : rows) {
        EXPECT_TRUE(got == row);
      }
    }(base, sent));
  }
}

Task<> round_trips_of_sqlite(Database on) {
  const std::string with_zero("a\0b\xC3\xA9", 5);
  co_await round_trip(on, "text", with_zero);
  co_await round_trip(on, "real", -std::numeric_limits<double>::infinity());
  auto nothing = on.exec("select $1", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ((co_await failure_of(nothing)).kind(), db::FailureKind::values);
  const std::chrono::sys_seconds epoch{};
  EXPECT_EQ((co_await on.one<std::string>("select $1", epoch)), "1970-01-01T00:00:00Z");
}

Task<> round_trips_of_mariadb(Database on) {
  const std::string with_zero("a\0b\xC3\xA9", 5);
  co_await round_trip(on, "text", with_zero);
  co_await round_trip(on, "enum('red', 'dark_blue')", TripColour::dark_blue);
  co_await round_trip(on, "bigint unsigned", std::uint64_t{INT64_MAX});
  const std::chrono::local_time<std::chrono::microseconds> early =
      std::chrono::local_days(std::chrono::year(1066) / 1 / 2) + 3h + 4us;
  co_await round_trip(on, "datetime(6)", early);
}

Task<> round_trips_of_postgres(Database on) {
  co_await on.script(
      "drop type if exists trip_colour; create type trip_colour as enum ('red', 'dark_blue')");
  const std::chrono::sys_time<std::chrono::milliseconds> early =
      std::chrono::sys_days(std::chrono::year(1970) / 1 / 1) - 500ms;
  co_await round_trip(on, "timestamptz", early);
  co_await round_trip(on, "trip_colour", TripColour::dark_blue);
  co_await round_trip(on, "interval", std::chrono::seconds(1h));
  co_await round_trip(on, "interval", std::chrono::milliseconds(49h + 250ms));
  co_await round_trip(on, "interval", std::chrono::hours(1000));
  const auto list1 = std::vector<int>{1, -2};
  co_await round_trip(on, "int[]", list1);
  const auto list2 = std::vector<std::string>{"a b", "{\"c\"}"};
  co_await round_trip(on, "text[]", list2);
  const auto list3 = std::vector<Uuid>{kUuid, Uuid()};
  co_await round_trip(on, "uuid[]", list3);
  const auto list4 = std::vector<std::chrono::year_month_day>{kDay};
  co_await round_trip(on, "date[]", list4);
  const auto list5 = std::vector<std::chrono::sys_seconds>{kInstant};
  co_await round_trip(on, "timestamptz[]", list5);
  const auto list6 = std::vector<Decimal>{kPrice};
  co_await round_trip(on, "numeric[]", list6);
  const auto list7 = std::vector<db::Blob>{kBytes};
  co_await round_trip(on, "bytea[]", list7);
  const auto list8 = std::vector<TripColour>{TripColour::red};
  co_await round_trip(on, "text[]", list8);
  const auto list9 = std::vector<std::optional<int>>{1, std::nullopt};
  co_await round_trip(on, "boolean[]", list9);
}

TEST_P(RoundTrips, return_values_of_types_that_one_database_has) {
  if (is_sqlite()) {
    on_loop_.run(round_trips_of_sqlite(open()));
  } else if (&differs() == &kPostgresDiffers) {
    on_loop_.run(round_trips_of_postgres(open()));
  } else {
    on_loop_.run(round_trips_of_mariadb(open()));
    if (!opener_->is_mysql()) {
      on_loop_.run(round_trip(open(), "uuid", kUuid));
    }
  }
}

TEST_P(RoundTrips, report_what_a_member_cannot_hold) {
  on_loop_.run([](Database on) -> Task<> {
    auto large = on.one<TripRow<int>>("select 2147483648 as v");
    const db::Failure range = co_await failure_of(large);
    EXPECT_TRUE(std::string(range.what())
                    .contains("the column \"v\" is out of range for int "
                              "(-2147483648 to 2147483647)"))
        << range.what();
    auto negative = on.one<std::uint64_t>("select -1 as v");
    const db::Failure sign = co_await failure_of(negative);
    EXPECT_TRUE(std::string(sign.what())
                    .contains("is out of range for std::uint64_t (0 to "
                              "18446744073709551615)"))
        << sign.what();
    const db::RuntimeSql create{std::string("create table precise(v ") + differs().types.instant +
                                ")"};
    co_await on.exec("drop table if exists precise");
    co_await on.exec(create);
    co_await on.exec("insert into precise values($1)", kPrecise);
    auto precise = on.one<TripRow<std::chrono::sys_seconds>>("select v from precise");
    const db::Failure fraction = co_await failure_of(precise);
    EXPECT_TRUE(std::string(fraction.what()).contains("has a fraction of a second"))
        << fraction.what();
  }(open()));
}

}  // namespace
}  // namespace eider
