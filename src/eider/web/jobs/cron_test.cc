#include "eider/web/jobs/cron.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>
#include <string>

namespace eider {
namespace {

using std::chrono::sys_days;
using std::chrono::sys_seconds;

TimeZone zone(std::string_view name) {
  return TimeZone::find(name).value();
}

/// Returns the UTC time of "2026-03-29 02:30".
sys_seconds utc(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  EXPECT_EQ(
      std::sscanf(std::string(text).c_str(), "%d-%d-%d %d:%d", &year, &month, &day, &hour, &minute),
      5);
  return sys_seconds(sys_days(std::chrono::year(year) / month / day)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute);
}

std::string text_of(std::optional<sys_seconds> time) {
  if (!time) {
    return "never";
  }
  const auto day = std::chrono::floor<std::chrono::days>(*time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(*time - day);
  char text[32];
  (void)std::snprintf(text, sizeof text, "%d-%02u-%02u %02d:%02d", static_cast<int>(date.year()),
                      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                      static_cast<int>(clock.hours().count()),
                      static_cast<int>(clock.minutes().count()));
  return text;
}

std::string next(std::string_view cron, std::string_view after, std::string_view in = "UTC") {
  return text_of(Cron::read(cron).value().next(utc(after), zone(in)));
}

std::string error_of(std::string_view cron) {
  const auto read = Cron::read(cron);
  return read ? "" : read.error();
}

TEST(cron, finds_the_next_time) {
  EXPECT_EQ(next("0 3 * * *", "2026-11-29 02:59"), "2026-11-29 03:00");
  EXPECT_EQ(next("0 3 * * *", "2026-11-29 03:00"), "2026-11-30 03:00");
  EXPECT_EQ(next("*/15 * * * *", "2026-11-29 03:00"), "2026-11-29 03:15");
  EXPECT_EQ(next("5/20 8-10/2 * * *", "2026-11-29 08:45"), "2026-11-29 10:05");
  EXPECT_EQ(next("0 9 * * mon-fri", "2026-11-27 10:00"), "2026-11-30 09:00");
  EXPECT_EQ(next("0 0 29 feb *", "2026-11-29 00:00"), "2028-02-29 00:00");
  EXPECT_EQ(next("0 0 31 * *", "2026-11-30 00:00"), "2026-12-31 00:00");
  EXPECT_EQ(next("0 0 * * 7", "2026-11-28 00:00"), "2026-11-29 00:00");
  EXPECT_EQ(next("0 0 * * SUN", "2026-11-29 00:00"), "2026-12-06 00:00");
  EXPECT_EQ(next("@hourly", "2026-12-31 23:30"), "2027-01-01 00:00");
  EXPECT_EQ(next("@monthly", "2026-12-31 23:30"), "2027-01-01 00:00");
  EXPECT_EQ(next("1,3 0 1 1 *", "2026-01-01 00:01"), "2026-01-01 00:03");
}

TEST(cron, one_of_two_restricted_days_is_enough) {
  EXPECT_EQ(next("0 0 13 * fri", "2026-11-29 00:00"), "2026-12-04 00:00");  // a Friday
  EXPECT_EQ(next("0 0 13 * fri", "2026-12-11 00:00"), "2026-12-13 00:00");  // a Sunday
  EXPECT_EQ(next("0 0 13 * *", "2026-11-29 00:00"), "2026-12-13 00:00");
}

TEST(cron, errors_name_the_field_and_the_fix) {
  EXPECT_NE(error_of("0 3 * *").find("needs five fields"), std::string::npos);
  EXPECT_NE(error_of("60 3 * * *").find("invalid minute \"60\""), std::string::npos);
  EXPECT_NE(error_of("0 3 * jam *").find("invalid month \"jam\""), std::string::npos);
  EXPECT_NE(error_of("0 3 30 2 *").find("does not exist"), std::string::npos);
  for (const char* const wrong :
       {"", "* * * * * *", "*/0 * * * *", "5-1 * * * *", "1--2 * * * *", "1/2/3 * * * *",
        "a * * * *", "-1 * * * *", "1, * * * *", "99999999999 * * * *", "* * 0 * *", "* * * 13 *",
        "* * * * 8", "@never", "*-5 * * * *"}) {
    EXPECT_NE(error_of(wrong), "") << wrong;
  }
  EXPECT_NE(error_of(std::string(100'000, '*')), "");
}

TEST(cron, a_text_cut_anywhere_is_read_or_refused) {
  const std::string text = "*/15,3 8-18/2 1-31 jan-dec mon,7";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    (void)Cron::read(std::string_view(text).substr(0, size));
  }
  EXPECT_TRUE(Cron::read(text));
}

// Berlin: on 2026-03-29 the clock goes from 02:00 to 03:00 (01:00 UTC), and on 2026-10-25 from
// 03:00 back to 02:00 (01:00 UTC).

TEST(cron, a_local_time_that_the_clock_skips_is_due_when_it_is_set_forward) {
  EXPECT_EQ(next("30 2 * * *", "2026-03-28 12:00", "Europe/Berlin"), "2026-03-29 01:00");
  EXPECT_EQ(next("30 2 * * *", "2026-03-29 01:00", "Europe/Berlin"), "2026-03-30 00:30");
  EXPECT_EQ(next("0,15,30 2 * * *", "2026-03-29 00:00", "Europe/Berlin"), "2026-03-29 01:00");
  EXPECT_EQ(next("0,15,30 2 * * *", "2026-03-29 01:00", "Europe/Berlin"), "2026-03-30 00:00");
}

TEST(cron, a_local_time_that_occurs_twice_is_due_once) {
  EXPECT_EQ(next("30 2 * * *", "2026-10-24 12:00", "Europe/Berlin"), "2026-10-25 00:30");
  EXPECT_EQ(next("30 2 * * *", "2026-10-25 00:30", "Europe/Berlin"), "2026-10-26 01:30");
  EXPECT_EQ(next("0 3 * * *", "2026-10-25 00:30", "Europe/Berlin"), "2026-10-25 02:00");
}

TEST(cron, each_hour_that_passes_counts_if_the_hour_is_a_star) {
  EXPECT_EQ(next("30 * * * *", "2026-10-25 00:00", "Europe/Berlin"), "2026-10-25 00:30");
  EXPECT_EQ(next("30 * * * *", "2026-10-25 00:30", "Europe/Berlin"), "2026-10-25 01:30");
  EXPECT_EQ(next("30 * * * *", "2026-03-29 00:30", "Europe/Berlin"), "2026-03-29 01:30");
}

TEST(cron, each_day_has_exactly_one_run_in_every_zone) {
  for (const char* const name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
                                 "Asia/Kathmandu", "Africa/Casablanca", "America/Sao_Paulo"}) {
    const TimeZone place = zone(name);
    for (const char* const text : {"0 0 * * *", "30 2 * * *", "15 1 * * *", "59 23 * * *"}) {
      const Cron cron = Cron::read(text).value();
      sys_seconds time = utc("2025-01-01 12:00");
      time = cron.next(time, place).value();
      auto day = std::chrono::floor<std::chrono::days>(place.local(time));
      for (int i = 0; i < 800; ++i) {
        const auto found = cron.next(time, place);
        ASSERT_TRUE(found);
        ASSERT_GT(*found, time);
        const auto found_day = std::chrono::floor<std::chrono::days>(place.local(*found));
        EXPECT_EQ(found_day, day + std::chrono::days(1)) << name << " " << text_of(found);
        day = found_day;
        time = *found;
      }
    }
  }
}

TEST(time_zone, follows_the_table_and_then_the_rules) {
  const TimeZone berlin = zone("Europe/Berlin");
  EXPECT_EQ(berlin.at(utc("1960-07-01 00:00")).offset, std::chrono::hours(1));
  EXPECT_EQ(berlin.at(utc("1947-05-20 00:00")).offset, std::chrono::hours(3));
  EXPECT_EQ(berlin.at(utc("2026-03-29 00:59")).offset, std::chrono::hours(1));
  EXPECT_EQ(berlin.at(utc("2026-03-29 01:00")).offset, std::chrono::hours(2));
  EXPECT_EQ(berlin.at(utc("2126-07-01 00:00")).offset, std::chrono::hours(2));
  EXPECT_EQ(zone("Asia/Kathmandu").at(utc("2026-01-01 00:00")).offset, std::chrono::minutes(345));
  EXPECT_EQ(zone("Australia/Sydney").at(utc("2126-01-01 00:00")).offset, std::chrono::hours(11));
}

TEST(time_zone, a_period_ends_where_the_next_one_begins) {
  const TimeZone place = zone("America/New_York");
  TimeZone::Period period = place.at(utc("1900-01-01 00:00"));
  for (int i = 0; i < 500; ++i) {
    const TimeZone::Period next = place.at(period.end);
    ASSERT_EQ(next.begin, period.end);
    ASSERT_LT(next.begin, next.end);
    period = next;
  }
}

TEST(time_zone, reads_posix_rules) {
  using detail::jobs::read_zone_rules;
  EXPECT_EQ(read_zone_rules("CET-1CEST,M3.5.0,M10.5.0/3")->summer, 7200);
  EXPECT_EQ(read_zone_rules("<+0545>-5:45")->standard, 20'700);
  EXPECT_EQ(read_zone_rules("EST5EDT4,J60/2,300/-1:30:15")->end.seconds, -5415);
  for (const char* const wrong :
       {"", "CE-1", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
        "CET-1CEST,M3.6.0,M10.5.0", "CET-999", "CET-49", "CET49", "CET-1CEST50,M3.5.0,M10.5.0",
        "<>1", "CET-1CEST,M3.5.0,M10.5.0x"}) {
    EXPECT_FALSE(read_zone_rules(wrong)) << wrong;
  }
}

std::string in_network_order(std::int64_t number, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    text += static_cast<char>(static_cast<std::uint64_t>(number) >> static_cast<unsigned>(shift));
  }
  return text;
}

/// A TZif file with one change.
std::string zone_file(std::int64_t first_offset, std::int64_t change, std::int64_t offset) {
  const std::string before_counts = "TZif2" + std::string(15, '\0');
  std::string text = before_counts + std::string(24, '\0') + before_counts + std::string(12, '\0');
  text += in_network_order(1, 4) + in_network_order(2, 4) + in_network_order(0, 4);
  text += in_network_order(change, 8) + '\1';
  text += in_network_order(first_offset, 4) + std::string(2, '\0');
  text += in_network_order(offset, 4) + std::string(2, '\0');
  return text + "\n\n";
}

TEST(time_zone, refuses_files_with_impossible_numbers) {
  const auto read = TimeZone::read(zone_file(3600, 1000, 7200));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->at(sys_seconds()).offset, std::chrono::hours(1));
  EXPECT_EQ(read->at(sys_seconds(std::chrono::seconds(1000))).offset, std::chrono::hours(2));
  constexpr std::int64_t kThreeDays = 3 * std::int64_t{86'400};
  EXPECT_FALSE(TimeZone::read(zone_file(kThreeDays, 1000, 7200)));
  EXPECT_FALSE(TimeZone::read(zone_file(-kThreeDays, 1000, 7200)));
  EXPECT_FALSE(TimeZone::read(zone_file(3600, 1000, kThreeDays)));
  EXPECT_FALSE(TimeZone::read(zone_file(3600, std::numeric_limits<std::int64_t>::min(), 7200)));
  EXPECT_FALSE(TimeZone::read(zone_file(3600, std::numeric_limits<std::int64_t>::max(), 7200)));
}

TEST(time_zone, foreign_bytes_and_names_are_refused) {
  EXPECT_FALSE(TimeZone::find("Europe/Atlantis"));
  EXPECT_FALSE(TimeZone::find("../../../etc/passwd"));
  EXPECT_FALSE(TimeZone::find("/etc/passwd"));
  EXPECT_FALSE(TimeZone::find(""));
  EXPECT_NE(TimeZone::find("Europe/Atlantis").error().find("tzdata"), std::string::npos);
}

}  // namespace
}  // namespace eider
