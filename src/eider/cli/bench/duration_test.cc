#include "eider/cli/bench/duration.h"

#include <gtest/gtest.h>

namespace eider::bench {
namespace {

using namespace std::chrono_literals;

TEST(BenchDuration, ReadsANumberWithItsUnit) {
  const std::vector<std::pair<std::string_view, Duration>> good = {
      {"10s", 10s}, {"10", 10s},  {"1m", 60s},    {"1.5m", 90s},   {"500ms", 500ms},
      {"1us", 1us}, {"24h", 24h}, {"0.5", 500ms}, {"0.001ms", 1us}};
  for (const auto& [text, expected] : good) {
    EXPECT_EQ(read_duration(text), expected) << text;
  }
}

TEST(BenchDuration, DeclinesEverythingElse) {
  for (const std::string_view text :
       {"", "s", "10x", "10 s", " 10s", "-1s", "0s", "0", "25h", "1e3s", "nan", "inf", "infs",
        "1s2", "1.2.3s", "0.5us", "10S", "+1s"}) {
    EXPECT_FALSE(read_duration(text).has_value()) << text;
  }
}

TEST(BenchDuration, IsWrittenWithThreeDigits) {
  EXPECT_EQ(to_text(1234ns), "1.23 us");
  EXPECT_EQ(to_text(870us), "870 us");
  EXPECT_EQ(to_text(12345us), "12.3 ms");
  EXPECT_EQ(to_text(999'600us), "1.00 s");
  EXPECT_EQ(to_text(1500ms), "1.50 s");
  EXPECT_EQ(to_text(99'960us), "100 ms");
  EXPECT_EQ(to_text(0ns), "0.00 us");
}

}  // namespace
}  // namespace eider::bench
