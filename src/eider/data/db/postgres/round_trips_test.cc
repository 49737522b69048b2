// Intervals, and values that are invalid for a member.
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

using PostgresRoundTrips = PostgresTest;

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
  const auto failure = co_await failure_of(asked);  // g++ 14 cannot parse this as one expression
  co_return failure.what();
}

TEST_F(PostgresRoundTrips, say_what_a_member_cannot_hold_and_what_to_do) {
  on_loop_.run([](Database on) -> Task<> {
    const std::string fraction =
        co_await why_not<Hours>(on, "select timestamptz '2026-01-02 03:04:05.123456+00' as starts");
    EXPECT_TRUE(fraction.contains("the column \"starts\" has a fraction of a second")) << fraction;
    EXPECT_TRUE(fraction.contains("std::chrono::sys_time<std::chrono::microseconds>")) << fraction;
    EXPECT_FALSE(fraction.contains("123456")) << fraction;
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
    EXPECT_TRUE(past.contains("is a negative duration")) << past;
    const std::string part = co_await why_not<Length>(on, "select interval '1.5 s' as lasts");
    EXPECT_TRUE(part.contains("has a fraction of a second")) << part;
  }(open()));
}

}  // namespace
}  // namespace eider
