// What is written is read again, of every kind; and what does not fit a member says why.
#include "tests/support/round_trips.h"

#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

using PostgresRoundTrips = PostgresTest;

TEST_F(PostgresRoundTrips, give_back_a_value_of_every_kind) {
  const Database base = open();
  on_loop_.run(round_trips(base, {.boolean = "boolean",
                                  .small = "smallint",
                                  .integer = "integer",
                                  .bigint = "bigint",
                                  .real = "double precision",
                                  .text = "text",
                                  .bytes = "bytea",
                                  .date = "date",
                                  .time = "time",
                                  .instant = "timestamptz",
                                  .local = "timestamp",
                                  .uuid = "uuid",
                                  .decimal = "numeric(12, 2)",
                                  .json = "jsonb"}));
}

TEST_F(PostgresRoundTrips, give_back_what_only_postgres_has_a_column_for) {
  const Database base = open();
  script(base,
         "drop type if exists trip_colour; create type "
         "trip_colour as enum ('red', 'dark_blue')");
  on_loop_.run([](Database on) -> Task<> {
    // g++ 14 crashes on initializer lists within co_await.
    co_await round_trip(on, "trip_colour", TripColour::dark_blue);
    co_await round_trip(on, "interval", std::chrono::seconds(1h));
    co_await round_trip(on, "interval", std::chrono::milliseconds(49h + 250ms));
    co_await round_trip(on, "interval", std::chrono::hours(1000));
    const auto list1 = std::vector<int>{1, -2};
    co_await round_trip(on, "int[]", list1);
    const auto list2 = std::vector<std::string>{"a b", "{\"c\"}"};
    co_await round_trip(on, "text[]", list2);
    const auto list3 = std::vector<Uuid>{trips::kUuid, Uuid()};
    co_await round_trip(on, "uuid[]", list3);
    const auto list4 = std::vector<std::chrono::year_month_day>{trips::kDay};
    co_await round_trip(on, "date[]", list4);
    const auto list5 = std::vector<std::chrono::sys_seconds>{trips::kInstant};
    co_await round_trip(on, "timestamptz[]", list5);
    const auto list6 = std::vector<Decimal>{trips::kPrice};
    co_await round_trip(on, "numeric[]", list6);
    const auto list7 = std::vector<db::Blob>{trips::kBytes};
    co_await round_trip(on, "bytea[]", list7);
    const auto list8 = std::vector<TripColour>{TripColour::red};
    co_await round_trip(on, "text[]", list8);
    const auto list9 = std::vector<std::optional<int>>{1, std::nullopt};
    co_await round_trip(on, "boolean[]", list9);
  }(base));
}

TEST_F(PostgresRoundTrips, read_an_interval_in_each_style_of_the_server) {
  on_loop_.run([](Database on) -> Task<> {
    for (const char* style : {"postgres", "postgres_verbose", "sql_standard", "iso_8601"}) {
      Transaction transaction = co_await on.begin();
      const db::RuntimeSql set{std::string("set local intervalstyle = ") + style};
      co_await transaction.exec(set);
      for (const int seconds : {0, 1, 59, 3600, 86'399, 86'400, 180'061, 864'000'000}) {
        const std::chrono::seconds length(seconds);
        EXPECT_EQ(co_await transaction.one<std::chrono::seconds>("select $1::interval", length),
                  length)
            << style;
      }
      const auto days = co_await transaction.one<std::chrono::microseconds>(
          "select interval '2 days 03:04:05.678901'");
      EXPECT_EQ(days, 51h + 4min + 5s + 678901us) << style;
    }
  }(open()));
}

struct Hours {
  std::chrono::sys_seconds starts{};
};
struct Count {
  int n = 0;
};
struct Length {
  std::chrono::seconds lasts{};
};
struct Day {
  std::chrono::year_month_day day{};
};

template <class T>
Task<std::string> why_not(Database on, std::string sql) {
  const db::RuntimeSql text{sql};
  auto asked = on.template one<T>(text);
  const auto failure = co_await failure_of(asked);  // in one expression g++ 14 does not parse it
  co_return failure.what();
}

TEST_F(PostgresRoundTrips, say_what_a_member_cannot_hold_and_what_to_do) {
  on_loop_.run([](Database on) -> Task<> {
    const std::string fraction =
        co_await why_not<Hours>(on, "select timestamptz '2026-01-02 03:04:05.123456+00' as starts");
    EXPECT_TRUE(fraction.contains("the column \"starts\" has a fraction of a second")) << fraction;
    EXPECT_TRUE(fraction.contains("std::chrono::sys_time<std::chrono::microseconds>")) << fraction;
    EXPECT_FALSE(fraction.contains("123456")) << fraction;
    const std::string large = co_await why_not<Count>(on, "select 2147483648 as n");
    EXPECT_TRUE(
        large.contains("the column \"n\" is out of range for int (-2147483648 to 2147483647)"))
        << large;
    for (const char* moment : {"infinity", "-infinity"}) {
      const std::string endless =
          co_await why_not<Hours>(on, "select timestamptz '" + std::string(moment) + "' as starts");
      EXPECT_TRUE(endless.contains("the column \"starts\" is " + std::string(moment))) << endless;
      EXPECT_TRUE(endless.contains("nullif")) << endless;
    }
    for (const char* day : {"0044-03-15 BC", "10000-01-01"}) {
      const std::string beyond =
          co_await why_not<Day>(on, "select date '" + std::string(day) + "' as day");
      EXPECT_TRUE(beyond.contains("before the year 0000 or after the year 9999")) << beyond;
    }
    const std::string months = co_await why_not<Length>(on, "select interval '1 month' as lasts");
    EXPECT_TRUE(months.contains("has months or years")) << months;
    const std::string past = co_await why_not<Length>(on, "select interval '-1 hour' as lasts");
    EXPECT_TRUE(past.contains("is a negative length of time")) << past;
    const std::string part = co_await why_not<Length>(on, "select interval '1.5 s' as lasts");
    EXPECT_TRUE(part.contains("has a fraction of a second")) << part;
  }(open()));
}

}  // namespace
}  // namespace eider
