#include "cli/bench/terms.h"

#include <gtest/gtest.h>

#include <set>

namespace eider::bench {
namespace {

TEST(StampedText, HasTheLengthAskedForAndItsNumberInFront) {
  for (const std::size_t bytes : {1U, 15U, 16U, 17U, 100U, 16384U}) {
    StampedText text(std::string(bytes, 'x'));
    EXPECT_EQ(text.with(0x1a).size(), bytes);
    EXPECT_EQ(text.with(0x1a).substr(0, 2), std::string_view("a1").substr(0, bytes));
  }
}

TEST(StampedText, NoTwoNumbersShareAText) {
  StampedText text(std::string(16, 'x'));
  std::set<std::string> seen;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    EXPECT_TRUE(seen.emplace(text.with(number * 0x0123456789abcdefU)).second) << number;
  }
}

TEST(StampedText, IsTheSameForTheSameNumber) {
  StampedText text(std::string(100, 'x'));
  const std::string first(text.with(7));
  EXPECT_NE(text.with(8), first);
  EXPECT_EQ(text.with(7), first);
}

}  // namespace
}  // namespace eider::bench
