#include "cli/patterns.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(Patterns, find_the_first_match_with_its_groups) {
  EXPECT_EQ(find_pattern("cmake version 3.25.1", R"((\d+)(?:\.(\d+))?(?:-(\d+))?)"),
            (PatternMatch{"3.25", "3", "25", ""}));
  EXPECT_TRUE(find_pattern("none", "[0-9]").empty());
  EXPECT_TRUE(find_pattern("EIDER", "eider").empty());
  EXPECT_EQ(find_pattern("EIDER", "eider", PatternCase::ignored), PatternMatch{"EIDER"});
}

TEST(Patterns, find_all_matches_match_whole_texts_and_replace) {
  EXPECT_EQ(find_patterns("a=1, b=2", "([a-z])=[0-9]"),
            (std::vector<PatternMatch>{{"a=1", "a"}, {"b=2", "b"}}));
  EXPECT_TRUE(is_whole_match("sqlite", "[a-z]+"));
  EXPECT_FALSE(is_whole_match("sqlite 3", "[a-z]+"));
  EXPECT_EQ(replace_pattern("a # b\nc # d", "#[^\n]*", ""), "a \nc ");
}

}  // namespace
}  // namespace eider
