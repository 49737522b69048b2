#include "events.h"

#include <gtest/gtest.h>

#include <string_view>

namespace load {
namespace {

/// The slow way to count: by the empty lines.
std::uint64_t counted(std::string_view stream) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; (at = stream.find("\n\n", at)) != std::string_view::npos; at += 2) {
    ++count;
  }
  return count;
}

TEST(Events, TheStreamCountsFromNothing) {
  EXPECT_EQ(stream_text(0), "");
  EXPECT_EQ(stream_text(2), "data: 0\n\ndata: 1\n\n");
  EXPECT_TRUE(stream_text(12).ends_with("data: 9\n\ndata: 10\n\ndata: 11\n\n"));
}

TEST(Events, AreCountedRightlyWhereverTheStreamIsCut) {
  for (const unsigned events : {0U, 1U, 9U, 10U, 11U, 99U, 100U, 101U, 1234U}) {
    const std::string stream = stream_text(events);
    for (std::size_t bytes = 0; bytes <= stream.size(); ++bytes) {
      ASSERT_EQ(events_within(bytes, events), counted(std::string_view(stream).substr(0, bytes)))
          << events << " events, " << bytes << " bytes";
    }
  }
}

TEST(Events, AreNeverMoreThanTheStreamHas) {
  EXPECT_EQ(events_within(1'000'000, 100), 100U);
  EXPECT_EQ(events_within(1'000'000, 0), 0U);
}

}  // namespace
}  // namespace load
