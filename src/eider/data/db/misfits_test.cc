#include "eider/data/db/misfits.h"

#include <gtest/gtest.h>

namespace eider::db {
namespace {

TEST(Intervals, are_read_in_each_style) {
  const struct {
    const char* text;
    const char* iso;
  } kCases[] = {
      {"00:00:00", "PT0S"},
      {"01:00:00", "PT3600S"},
      {"838:59:59", "PT3020399S"},
      {"1 day", "PT86400S"},
      {"2 days 03:04:05.678901", "PT183845.678901S"},
      {"@ 1 hour", "PT3600S"},
      {"@ 2 days 3 hours 4 mins 5.5 secs", "PT183845.5S"},
      {"@ 0", "PT0S"},
      {"0", "PT0S"},
      {"2 3:04:05", "PT183845S"},
      {"3:04:05", "PT11045S"},
      {"P2DT3H4M5.5S", "PT183845.5S"},
      {"PT0S", "PT0S"},
      {"P1DT-1H", "PT82800S"},
      {"1 day -01:00:00", "PT82800S"},
      {"2562047788:00:55", "PT9223372036855S"},
      {"106751991 days 04:00:55.25", "PT9223372036855.25S"},
  };
  for (const auto& [text, iso] : kCases) {
    EXPECT_EQ(iso_of_interval(text), iso) << text;
  }
  for (const char* text :
       {"-01:00:00", "@ 1 hour ago", "1 mon", "1 year 2 mons", "1-2", "P1Y", "P1M", "P1X", "PT",
        "P1", "1", "x", "1 x", "1:2:3:4", ":", "99999999999999999999 days",
        "9223372036854775807:00:00", "@ ago", "1 day x"}) {
    EXPECT_EQ(iso_of_interval(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace eider::db
