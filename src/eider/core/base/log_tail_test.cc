#include "eider/core/base/log_tail.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::detail::base {
namespace {

using Lines = std::vector<std::string>;

bool is_ours(std::string_view line) {
  return line.contains("ours");
}

/// Returns the number of lines so far.
std::uint64_t so_far() {
  return log_tail(0).lines_so_far;
}

// This test must be the first one, because the others enable the tail.
TEST(LogTail, keeps_nothing_until_it_is_asked_to) {
  note_log_lines("T info a\n");
  EXPECT_EQ(so_far(), 0U);
  keep_log_tail(&is_ours);
  note_log_lines("T info a\n");
  EXPECT_EQ(so_far(), 1U);
}

TEST(LogTail, tells_what_came_since_and_leaves_out_what_it_is_told_to) {
  keep_log_tail(&is_ours);
  const std::uint64_t before = so_far();
  note_log_lines("T info a\nT info ours\nT error b\n");
  note_log_lines("T info c");
  EXPECT_EQ(log_tail(before).lines, (Lines{"T info a", "T error b", "T info c"}));
  EXPECT_EQ(log_tail(before + 2).lines, Lines{"T info c"});
  EXPECT_EQ(log_tail(before + 3).lines, Lines{});
  // A client that has seen more lines has seen those of another process.
  EXPECT_EQ(log_tail(before + 4).lines.back(), "T info c");
}

TEST(LogTail, keeps_errors_where_many_lines_of_requests_come) {
  keep_log_tail(&is_ours);
  const Lines grave = {R"({"time":"T","level":"error","message":"lost"})",
                       R"({"time":"T","level":"warning","message":"full"})", "T error lost",
                       "T warning full"};
  const std::uint64_t before = so_far();
  for (const std::string& line : grave) {
    note_log_lines(line + "\n");
  }
  for (std::size_t i = 0; i < 3 * kLogTailLinesMax; ++i) {
    note_log_lines(R"({"time":"T","level":"info","message":"x","level_":"error"})"
                   "\n");
    note_log_lines("T info x error \"level\":\"error\"\n");
  }
  const Lines told = log_tail(before).lines;
  ASSERT_EQ(told.size(), grave.size() + kLogTailLinesMax);
  EXPECT_EQ(Lines(told.begin(), told.begin() + 4), grave);
}

TEST(LogTail, is_bounded_whatever_comes) {
  keep_log_tail(&is_ours);
  for (std::size_t i = 0; i < 2 * kLogTailLinesMax; ++i) {
    note_log_lines("T info " + std::string(100'000, 'x') + "\nT error\n\nT\n{\n");
  }
  const Lines told = log_tail(0).lines;
  EXPECT_EQ(told.size(), 2 * kLogTailLinesMax);
  for (const std::string& line : told) {
    EXPECT_LE(line.size(), kLogTailLineBytesMax);
  }
}

}  // namespace
}  // namespace eider::detail::base
