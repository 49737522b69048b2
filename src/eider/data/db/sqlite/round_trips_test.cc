// What is written is read again, of every kind; and what does not fit a member says why.
#include "tests/support/round_trips.h"

#include "eider/data/db/sqlite/sqlite.h"
#include "tests/support/sqlite_notes.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

Database open_for_trips() {
  return open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
}

TEST(SqliteRoundTrips, give_back_a_value_of_every_kind) {
  TestLoop on_loop;
  on_loop.run(round_trips(open_for_trips(), {.boolean = "integer",
                                             .small = "integer",
                                             .integer = "integer",
                                             .bigint = "integer",
                                             .real = "real",
                                             .text = "text",
                                             .bytes = "blob",
                                             .date = "text",
                                             .time = "text",
                                             .instant = "text",
                                             .local = "text",
                                             .uuid = "text",
                                             .decimal = "text",
                                             .json = "text"}));
}

TEST(SqliteRoundTrips, say_what_a_member_cannot_hold_and_what_to_do) {
  TestLoop on_loop;
  on_loop.run([](Database on) -> Task<> {
    auto large = on.one<TripRow<int>>("select 2147483648 as v");
    const std::string range = (co_await failure_of(large)).second;
    EXPECT_TRUE(range.contains("is out of range for int (-2147483648 to 2147483647)")) << range;
    auto negative = on.one<std::uint64_t>("select -1 as v");
    const std::string sign = (co_await failure_of(negative)).second;
    EXPECT_TRUE(sign.contains("is out of range for std::uint64_t (0 to 18446744073709551615)"))
        << sign;
    auto precise =
        on.one<TripRow<std::chrono::sys_seconds>>("select '2026-01-02T03:04:05.5Z' as v");
    const std::string fraction = (co_await failure_of(precise)).second;
    EXPECT_TRUE(fraction.contains("has a fraction of a second")) << fraction;
  }(open_for_trips()));
}

}  // namespace
}  // namespace eider
