#include "eider/core/kinds/times.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

using namespace std::chrono;

/// Reads a text as T and writes it again.
template <class T>
std::string again(std::string_view text) {
  const auto value = TextFormat<T>::parse(text);
  return value ? std::string(std::string_view(TextFormat<T>::format(*value))) : "none";
}

template <class T>
void expect_none(std::initializer_list<const char*> texts) {
  for (const char* const text : texts) {
    EXPECT_EQ(again<T>(text), "none") << text;
  }
}

template <class T>
void expect_cut_is_none(std::string_view text) {
  EXPECT_NE(again<T>(text), "none");
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    EXPECT_EQ(again<T>(text.substr(0, bytes)), "none") << text.substr(0, bytes);
  }
  EXPECT_EQ(again<T>(std::string(text) + "0"), "none");
}

using Milliseconds = sys_time<milliseconds>;
using Nanoseconds = sys_time<nanoseconds>;

TEST(Date, is_a_day_that_there_is) {
  EXPECT_EQ(again<year_month_day>("2026-11-22"), "2026-11-22");
  EXPECT_EQ(again<year_month_day>("2024-02-29"), "2024-02-29");
  EXPECT_EQ(again<year_month_day>("0000-01-01"), "0000-01-01");
  EXPECT_EQ(again<year_month_day>("9999-12-31"), "9999-12-31");
  expect_none<year_month_day>({"2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00",
                               "2026-04-31", "2026-1-1", "26-01-01", "2026/01/01", "20260101",
                               "2026-11-22T", " 2026-11-22", "-026-11-22", "+2026-11-22",
                               "2026-11-2x", "２026-11-22"});
  expect_cut_is_none<year_month_day>("2026-11-22");
}

TEST(Date, that_is_none_is_written_by_its_numbers) {
  EXPECT_EQ(std::string_view(TextFormat<year_month_day>::format(year_month_day())), "0000-00-00");
  EXPECT_EQ(std::string_view(TextFormat<year_month_day>::format(year(-5) / 1 / 2)), "0000-01-02");
  EXPECT_EQ(std::string_view(TextFormat<year_month_day>::format(year(12345) / 1 / 2)),
            "9999-01-02");
}

TEST(TimeOfDay, may_leave_its_seconds_out) {
  EXPECT_EQ(again<TimeOfDay>("14:30"), "14:30:00");
  EXPECT_EQ(again<TimeOfDay>("00:00:00"), "00:00:00");
  EXPECT_EQ(again<TimeOfDay>("23:59:59.999999999"), "23:59:59.999999999");
  EXPECT_EQ(again<TimeOfDay>("08:00:01.250"), "08:00:01.25");
  EXPECT_EQ(TimeOfDay::parse("01:00")->since_midnight(), hours(1));
  EXPECT_LT(*TimeOfDay::parse("01:00"), *TimeOfDay::parse("01:00:00.1"));
}

TEST(TimeOfDay, of_any_other_spelling_is_none) {
  expect_none<TimeOfDay>({"", "24:00", "23:60", "23:59:60", "1:00", "01:0", "01:00:", "01:00:00.",
                          "01:00:00.1234567890", "01:00Z", "01:00+01:00", "0100", "01-00",
                          "01:00:00,5", "-1:00"});
}

// The examples of RFC 3339, section 5.8, and of appendix A.
TEST(Instant, reads_the_examples_of_rfc_3339) {
  EXPECT_EQ(again<Milliseconds>("1985-04-12T23:20:50.52Z"), "1985-04-12T23:20:50.520Z");
  EXPECT_EQ(again<sys_seconds>("1996-12-19T16:39:57-08:00"), "1996-12-20T00:39:57Z");
  EXPECT_EQ(again<Milliseconds>("1937-01-01T12:00:27.87+00:20"), "1937-01-01T11:40:27.870Z");
}

TEST(Instant, refuses_leap_seconds) {
  expect_none<sys_seconds>({"1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00"});
}

TEST(Instant, is_never_rounded) {
  EXPECT_EQ(again<sys_seconds>("2026-11-22T18:05:00.000Z"), "2026-11-22T18:05:00Z");
  expect_none<sys_seconds>({"2026-11-22T18:05:00.5Z", "2026-11-22T18:05:00.000000001Z"});
  expect_none<Milliseconds>({"2026-11-22T18:05:00.1234Z"});
  expect_none<sys_days>({"2026-11-22T00:00:01Z"});
  EXPECT_EQ(again<sys_days>("2026-11-22T01:00:00+01:00"), "2026-11-22T00:00:00Z");
}

TEST(Instant, of_any_other_spelling_is_none) {
  expect_none<sys_seconds>(
      {"", "2026-11-22", "2026-11-22T18:05Z", "2026-11-22T18:05:00", "2026-11-22 18:05:00Z",
       "2026-11-22T18:05:00+0100", "2026-11-22T18:05:00+1:00", "2026-11-22T18:05:00+24:00",
       "2026-11-22T18:05:00+01:60", "2026-11-22T18:05:00.Z", "2026-11-22T18:05:00,5Z",
       "2026-11-22T24:00:00Z", "2026-11-22T18:60:00Z", "2026-02-30T18:05:00Z",
       "2026-11-22T18:05:00Z ", "2026-W47-7T18:05:00Z", "1795370700", "2026-11-22T18:05:00ZZ",
       "2026-11-22T18:05:00\xE2\x88\x92"
       "01:00"});
  expect_cut_is_none<sys_seconds>("2026-11-22T18:05:00+01:00");
  expect_cut_is_none<sys_seconds>("2026-11-22T18:05:00Z");
}

TEST(Instant, takes_small_letters_and_an_unknown_offset) {
  EXPECT_EQ(again<sys_seconds>("2026-11-22t18:05:00z"), "2026-11-22T18:05:00Z");
  EXPECT_EQ(again<sys_seconds>("2026-11-22T18:05:00-00:00"), "2026-11-22T18:05:00Z");
}

TEST(Instant, that_its_unit_cannot_hold_is_none) {
  EXPECT_EQ(again<Nanoseconds>("2262-04-11T23:47:16.854775807Z"), "2262-04-11T23:47:16.854775807Z");
  EXPECT_EQ(again<Nanoseconds>("1677-09-21T00:12:43.145224192Z"), "1677-09-21T00:12:43.145224192Z");
  expect_none<Nanoseconds>({"2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224191Z"});
  using Small = sys_time<duration<std::int32_t>>;
  EXPECT_EQ(again<Small>("2038-01-19T03:14:07Z"), "2038-01-19T03:14:07Z");
  expect_none<Small>({"2038-01-19T03:14:08Z"});
}

TEST(Instant, that_its_offset_takes_out_of_the_years_is_none) {
  EXPECT_EQ(again<sys_seconds>("9999-12-31T23:59:59+00:00"), "9999-12-31T23:59:59Z");
  EXPECT_EQ(again<sys_seconds>("0000-01-01T01:00:00+01:00"), "0000-01-01T00:00:00Z");
  expect_none<sys_seconds>({"9999-12-31T23:59:59-00:01", "9999-12-31T00:01:00-23:59",
                            "0000-01-01T00:59:59+01:00", "0000-01-01T00:00:00+23:59"});
}

TEST(Instant, beyond_what_can_be_written_is_the_nearest) {
  const auto text = [](auto instant) {
    return std::string(std::string_view(TextFormat<decltype(instant)>::format(instant)));
  };
  EXPECT_EQ(text(sys_seconds::max()), "9999-12-31T23:59:59Z");
  EXPECT_EQ(text(sys_seconds::min()), "0000-01-01T00:00:00Z");
  EXPECT_EQ(text(sys_time<hours>::max()), "9999-12-31T23:59:59Z");
  EXPECT_EQ(text(sys_time<duration<std::uint64_t>>::max()), "9999-12-31T23:59:59Z");
  EXPECT_EQ(text(Milliseconds(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(LocalTime, has_no_offset) {
  EXPECT_EQ(again<local_seconds>("2026-11-22T18:05"), "2026-11-22T18:05:00");
  EXPECT_EQ(again<local_time<milliseconds>>("2026-11-22T18:05:01.5"), "2026-11-22T18:05:01.500");
  expect_none<local_seconds>({"2026-11-22T18:05Z", "2026-11-22", "2026-11-22T18",
                              "2026-11-22t18:05", "2026-11-22T18:05:00.5"});
}

TEST(LengthOfTime, is_read_as_rfc_3339_has_it) {
  EXPECT_EQ(again<seconds>("PT1H30M"), "PT1H30M");
  EXPECT_EQ(again<seconds>("PT90S"), "PT1M30S");
  EXPECT_EQ(again<seconds>("P2W"), "P14D");
  EXPECT_EQ(again<seconds>("P3DT4H"), "P3DT4H");
  EXPECT_EQ(again<seconds>("P0D"), "PT0S");
  EXPECT_EQ(again<milliseconds>("PT0.25S"), "PT0.25S");
  EXPECT_EQ(again<hours>("P1D"), "P1D");
  EXPECT_EQ(again<duration<std::uint8_t>>("PT255S"), "PT4M15S");
  EXPECT_EQ(again<seconds>("P1DT1S"), "P1DT1S");
}

// RFC 3339, appendix A, does not allow seconds directly after hours, nor does JSON Schema's
// "duration".
TEST(LengthOfTime, of_hours_and_seconds_is_read_without_minutes_and_written_with_them) {
  EXPECT_EQ(again<seconds>("PT1H1S"), "PT1H0M1S");
  EXPECT_EQ(again<seconds>("PT1H0M1S"), "PT1H0M1S");
  EXPECT_EQ(again<milliseconds>("P2DT1H0.5S"), "P2DT1H0M0.5S");
  EXPECT_EQ(again<seconds>("PT1H"), "PT1H");
}

TEST(LengthOfTime, of_any_other_spelling_is_none) {
  expect_none<seconds>({"",
                        "P",
                        "PT",
                        "P1DT",
                        "T1H",
                        "1H",
                        "PT1H1H",
                        "PT1M1H",
                        "P1H",
                        "PT1D",
                        "P1W1D",
                        "P1D1W",
                        "P1Y",
                        "P1M",
                        "P1",
                        "PT1",
                        "PT1.5M",
                        "PT.5S",
                        "PT1.S",
                        "PT0.5S",
                        "-PT1S",
                        "PT-1S",
                        "pt1s",
                        "PT1S ",
                        "PTS",
                        "P1DT1HT1M",
                        "PT99999999999999999999S",
                        "P99999999999999999D"});
  expect_none<hours>({"PT90M"});
  expect_none<duration<std::uint8_t>>({"PT256S"});
  expect_none<nanoseconds>({"P106752D"});
}

TEST(LengthOfTime, below_zero_is_written_and_not_read) {
  const auto text = [](auto length) {
    return std::string(std::string_view(TextFormat<decltype(length)>::format(length)));
  };
  EXPECT_EQ(text(seconds(-90)), "-PT1M30S");
  EXPECT_EQ(text(milliseconds(-250)), "-PT0.25S");
  EXPECT_EQ(text(milliseconds(-1250)), "-PT1.25S");
  EXPECT_EQ(text(seconds::min()), "-P106751991167300DT15H30M8S");
  EXPECT_EQ(text(nanoseconds::min()), "-P106751DT23H47M16.854775808S");
  EXPECT_EQ(text(hours::max()), "P106751991167300DT15H30M7S");
}

}  // namespace
}  // namespace eider
