#include "eider/web/presence/presence.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

using People = std::vector<std::string>;

TEST(PresenceTracker, tells_who_comes_and_who_leaves) {
  PresenceTracker here;
  EXPECT_EQ(here.enter("Ada", "a").value()->joined, "Ada");
  const auto came = here.enter("Bob", "b").value();
  EXPECT_EQ(came->members, (People{"Ada", "Bob"}));
  const auto left = here.leave("Ada");
  ASSERT_TRUE(left);
  EXPECT_EQ(left->left, "Ada");
  EXPECT_EQ(left->members, People{"Bob"});
  EXPECT_GT(left->version, came->version);
}

TEST(PresenceTracker, tells_nothing_of_a_second_connection) {
  PresenceTracker here;
  ASSERT_TRUE(here.enter("Ada", "a").value());
  EXPECT_FALSE(here.enter("Ada", "a").value());
  EXPECT_FALSE(here.leave("Ada"));
  EXPECT_EQ(here.size(), 1);
  EXPECT_TRUE(here.leave("Ada"));
  EXPECT_TRUE(here.empty());
}

TEST(PresenceTracker, keeps_a_name_for_its_key_in_any_case) {
  PresenceTracker here;
  ASSERT_TRUE(here.enter("Ada", "a"));
  EXPECT_EQ(here.enter("Ada", "b").error().detail(), "This name is already in use.");
  EXPECT_EQ(here.enter("ADA", "a").error().detail(), "This name is already in use.");
  ASSERT_TRUE(here.leave("Ada"));
  EXPECT_TRUE(here.enter("ADA", "b"));
}

TEST(PresenceTracker, compares_names_as_bytes_beyond_the_case_of_ascii) {
  PresenceTracker here;
  for (const char* name : {"Zo\u00EB", "ZO\u00CB", "Zoe\u0308"}) {
    EXPECT_TRUE(here.enter(name, name)) << name;
  }
  EXPECT_FALSE(here.enter("zO\u00EB", "another's"));
}

TEST(PresenceTracker, lets_a_free_or_an_own_name_be_used_without_entering) {
  PresenceTracker here({.members_max = 1});
  EXPECT_TRUE(here.may_use("Ada", "b"));
  EXPECT_TRUE(here.empty());
  ASSERT_TRUE(here.enter("Ada", "a"));
  EXPECT_TRUE(here.may_use("Ada", "a"));
  EXPECT_TRUE(here.may_use("Bob", "b"));
  EXPECT_EQ(here.may_use("Ada", "b").error().detail(), "This name is already in use.");
  EXPECT_EQ(here.may_use("ADA", "a").error().detail(), "This name is already in use.");
  EXPECT_EQ(here.now().version, 1);
}

TEST(PresenceTracker, is_bounded) {
  PresenceTracker here({.members_max = 2, .connections_per_member_max = 2});
  ASSERT_TRUE(here.enter("Ada", "a"));
  ASSERT_TRUE(here.enter("Ada", "a"));
  EXPECT_EQ(here.enter("Ada", "a").error().detail(), "You have too many connections to this room.");
  ASSERT_TRUE(here.enter("Bob", "b"));
  EXPECT_EQ(here.enter("Cay", "c").error().detail(), "The room is full.");
}

TEST(PresenceTracker, knows_nobody_who_has_left) {
  PresenceTracker here;
  EXPECT_FALSE(here.leave("Ada"));
  ASSERT_TRUE(here.enter("Ada", "a"));
  EXPECT_FALSE(here.leave("ada"));
  EXPECT_TRUE(here.leave("Ada"));
  EXPECT_FALSE(here.leave("Ada"));
}

}  // namespace
}  // namespace eider
