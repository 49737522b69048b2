#include "eider/protocols/http/date.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace eider {
namespace {

constexpr std::int64_t kNow = 1'790'000'000;  // in 2026

std::string formatted(std::int64_t seconds) {
  const DateText text = format_date(seconds);
  return {text.data(), text.size()};
}

TEST(Date, is_written_as_the_standard_does) {
  EXPECT_EQ(formatted(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(formatted(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(formatted(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(formatted(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
  EXPECT_EQ(formatted(4107542399), "Sun, 28 Feb 2100 23:59:59 GMT");
  EXPECT_EQ(formatted(4107542400), "Mon, 01 Mar 2100 00:00:00 GMT");
}

TEST(Date, stays_within_four_digits_of_a_year) {
  EXPECT_EQ(formatted(std::numeric_limits<std::int64_t>::max()), "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_EQ(formatted(std::numeric_limits<std::int64_t>::min()), "Sat, 01 Jan 0000 00:00:00 GMT");
}

TEST(Date, is_read_in_all_three_forms) {
  EXPECT_EQ(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), 784111777);
  EXPECT_EQ(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), 784111777);
  EXPECT_EQ(parse_date("Sun Nov  6 08:49:37 1994", kNow), 784111777);
  EXPECT_EQ(parse_date("Wed Nov 16 08:49:37 1994", kNow), 784975777);
}

TEST(Date, is_read_as_it_was_written_on_every_day_of_400_years) {
  for (std::int64_t day = -200 * 365; day < 200 * 365; ++day) {
    const std::int64_t seconds = day * 86400 + 12345;
    ASSERT_EQ(parse_date(formatted(seconds), kNow), seconds);
  }
}

TEST(Date, takes_two_digits_for_a_year_at_most_fifty_ahead) {
  EXPECT_EQ(parse_date("Sunday, 06-Nov-76 08:49:37 GMT", kNow),
            parse_date("Sun, 06 Nov 2076 08:49:37 GMT", kNow));
  EXPECT_EQ(parse_date("Sunday, 06-Nov-77 08:49:37 GMT", kNow),
            parse_date("Sun, 06 Nov 1977 08:49:37 GMT", kNow));
}

TEST(Date, may_have_a_leap_second) {
  EXPECT_EQ(parse_date("Sat, 31 Dec 2016 23:59:60 GMT", kNow), 1483228800);
}

TEST(Date, is_not_read_from_what_is_none) {
  for (const std::string_view text : {"",
                                      "0",
                                      "Sun",
                                      "Sun, 06 Nov 1994 08:49:37",
                                      "Sun, 06 Nov 1994 08:49:37 UTC",
                                      "Sun, 06 Nov 1994 08:49:37 gmt",
                                      "sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 nov 1994 08:49:37 GMT",
                                      "Sun, 6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 24:00:00 GMT",
                                      "Sun, 06 Nov 1994 08:60:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:61 GMT",
                                      "Sun, 00 Nov 1994 08:49:37 GMT",
                                      "Sun, 31 Nov 1994 08:49:37 GMT",
                                      "Thu, 29 Feb 2001 08:49:37 GMT",
                                      "Mon, 29 Feb 2100 08:49:37 GMT",
                                      "Sun, 06 Nov 199x 08:49:37 GMT",
                                      "Sun, -6 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 Nov 1994 08:49:37 GMT ",
                                      " Sun, 06 Nov 1994 08:49:37 GMT",
                                      "Sun; 06 Nov 1994 08:49:37 GMT",
                                      "Xun, 06 Nov 1994 08:49:37 GMT",
                                      "unM, 06 Nov 1994 08:49:37 GMT",
                                      "Sun, 06 anF 1994 08:49:37 GMT",
                                      "Sun, 06-Nov-94 08:49:37 GMT",
                                      "Sunday, 06-Nov-1994 08:49:37 GMT",
                                      "Sunday, 06 Nov 94 08:49:37 GMT",
                                      "Someday, 06-Nov-94 08:49:37 GMT",
                                      "Sunday, 06-Nov-9x 08:49:37 GMT",
                                      "Sun Nov 06 08:49:37 94",
                                      "Sun Nov   6 08:49:37 199",
                                      "Sun Nov 31 08:49:37 1994",
                                      "Sun Nov  6 08:49:37 199x"}) {
    EXPECT_EQ(parse_date(text, kNow), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace eider
