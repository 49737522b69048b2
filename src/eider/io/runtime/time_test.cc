#include "eider/io/runtime/time.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

using namespace std::chrono_literals;

TEST(Durations, are_read_with_their_unit) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("0s"), 0s);
  EXPECT_EQ(parse_duration("10s"), 10s);
  EXPECT_EQ(parse_duration("5m"), 5min);
  EXPECT_EQ(parse_duration("2h"), 2h);
  EXPECT_EQ(parse_duration("7d"), 168h);
  EXPECT_EQ(parse_duration("3us"), 3us);
  EXPECT_EQ(parse_duration("9ns"), 9ns);
  EXPECT_EQ(parse_duration("9223372036854775807ns"), Duration::max());
}

TEST(Durations, without_a_unit_or_with_more_are_none) {
  for (const char* text : {"", "10", "s", "-1s", "+1s", "1.5s", "10 s", "10s ", "10sec", "1e3s",
                           "9223372036854775807s", "99999999999999999999ns", "S", "10S"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Durations, are_written_in_the_largest_unit_that_fits) {
  EXPECT_EQ(format_duration(90s), "90s");
  EXPECT_EQ(format_duration(2min), "2m");
  EXPECT_EQ(format_duration(1500ms), "1500ms");
  EXPECT_EQ(format_duration(24h), "1d");
  EXPECT_EQ(format_duration(0s), "0s");
}

}  // namespace
}  // namespace eider
