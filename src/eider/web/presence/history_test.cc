#include "eider/web/presence/history.h"

#include <ranges>

#include <gtest/gtest.h>

namespace eider {
namespace {

struct Line {
  std::int64_t id = 0;
  std::string text = {};
};

std::vector<std::int64_t> ids_of(const MissedEntries<Line>& missed) {
  const auto ids = missed.entries | std::views::transform(&Line::id);
  return {ids.begin(), ids.end()};
}

/// Returns a history with the lines 10, 11, …, which stores the last four.
History<Line> of(int count) {
  History<Line> history({.entries_max = 4}, 10);
  for (int line = 0; line < count; ++line) {
    history.add({.text = std::to_string(line)});
  }
  return history;
}

TEST(History, numbers_without_gaps_and_keeps_the_newest) {
  const auto missed = of(6).since();
  EXPECT_EQ(ids_of(missed), (std::vector<std::int64_t>{12, 13, 14, 15}));
  EXPECT_EQ(missed.entries.back().text, "5");
  EXPECT_EQ(missed.next_id, 16);
  EXPECT_FALSE(missed.has_gap);
}

TEST(History, gives_what_was_missed_and_says_whether_that_is_all) {
  struct Case {
    std::int64_t wanted;
    std::vector<std::int64_t> ids;
    bool has_gap;
  };
  const std::vector<std::int64_t> all = {12, 13, 14, 15};
  const auto history = of(6);
  for (const Case& each :
       {Case{14, {14, 15}, false}, Case{16, {}, false}, Case{12, all, false}, Case{11, all, true},
        Case{17, all, true}, Case{0, all, true}, Case{-5, all, true}}) {
    const auto missed = history.since(each.wanted);
    EXPECT_EQ(ids_of(missed), each.ids) << each.wanted;
    EXPECT_EQ(missed.has_gap, each.has_gap) << each.wanted;
  }
}

TEST(History, is_empty_at_first) {
  const History<Line> history({}, 10);
  EXPECT_TRUE(history.since().entries.empty());
  EXPECT_FALSE(history.since(10).has_gap);
  EXPECT_TRUE(history.since(9).has_gap);
}

TEST(History, is_bounded_by_bytes_but_keeps_the_newest) {
  History<Line> history({.entries_max = 10, .bytes_max = 10}, 0);
  history.add({}, 4);
  history.add({}, 4);
  history.add({}, 6);
  EXPECT_EQ(ids_of(history.since()), (std::vector<std::int64_t>{1, 2}));
  history.add({}, 11);
  EXPECT_EQ(ids_of(history.since()), (std::vector<std::int64_t>{3}));
  history.add({}, 1);
  EXPECT_EQ(ids_of(history.since()), (std::vector<std::int64_t>{4}));
}

TEST(History, keeps_the_newest_where_none_are_asked_for) {
  History<Line> history({.entries_max = 0, .bytes_max = 0}, 7);
  history.add({});
  EXPECT_EQ(history.add({.text = "newest"}, 3).text, "newest");
  EXPECT_EQ(ids_of(history.since()), std::vector<std::int64_t>{8});
}

TEST(History, goes_on_from_a_larger_number_after_a_restart) {
  const auto before = History<Line>().since().next_id;
  EXPECT_GE(History<Line>().since().next_id, before);
  EXPECT_GT(before, 1'000'000'000'000'000);
}

}  // namespace
}  // namespace eider
