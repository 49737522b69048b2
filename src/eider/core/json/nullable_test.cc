// A member that distinguishes null from absent, read and written as JSON.
#include "eider/core/reflect/nullable.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/json/read.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/compare.h"
#include "eider/core/reflect/constraints.h"

namespace eider::json {
namespace {

struct Change {
  Nullable<std::int64_t> assignee;
  Nullable<Sized<std::string, 1, 5>> title;
  std::optional<int> stars;
};

TEST(Nullable, absent_null_and_a_value_are_three_things) {
  const auto absent = read<Change>("{}");
  ASSERT_TRUE(absent);
  EXPECT_TRUE(absent->assignee.is_absent());
  const auto null = read<Change>(R"({"assignee":null,"title":null})");
  ASSERT_TRUE(null);
  EXPECT_TRUE(null->assignee.is_null());
  EXPECT_FALSE(null->assignee.is_absent());
  EXPECT_EQ(null->assignee.as_optional(), std::nullopt);
  const auto value = read<Change>(R"({"assignee":7,"title":"a"})");
  ASSERT_TRUE(value);
  EXPECT_EQ(*value->assignee, 7);
  EXPECT_EQ(**value->title, "a");
  EXPECT_FALSE(value->assignee.is_null());
}

TEST(Nullable, what_was_read_is_written) {
  for (const char* const text : {"{}", R"({"assignee":null})", R"({"assignee":7,"title":null})",
                                 R"({"title":"a","stars":1})"}) {
    const auto change = read<Change>(text);
    ASSERT_TRUE(change) << text;
    EXPECT_EQ(to_text(*change), text);
  }
}

struct Listing {
  std::optional<int> limit = 5;
  std::optional<int> offset;
  std::unique_ptr<int> step = std::make_unique<int>(2);
  Nullable<int> from = 1;
};

TEST(Optional, that_is_empty_and_has_an_initialiser_is_written_as_null) {
  Listing listing;
  listing.limit = std::nullopt;
  listing.step = nullptr;
  const std::string text = to_text(listing);
  EXPECT_EQ(text, R"({"limit":null,"step":null,"from":1})");
  const auto again = read<Listing>(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->limit, std::nullopt);
  EXPECT_EQ(again->step, nullptr);
  EXPECT_EQ(read<Listing>("{}")->limit, 5);
}

TEST(Nullable, that_is_absent_stays_so_whatever_its_initialiser) {
  Listing listing;
  listing.from.reset();
  EXPECT_EQ(to_text(listing), R"({"limit":5,"step":2})");
}

TEST(Nullable, a_wrong_value_is_told_as_that_of_any_member) {
  const auto change = read<Change>(R"({"assignee":"x","title":""})");
  ASSERT_FALSE(change);
  ASSERT_EQ(change.error().fields().size(), 2U);
  EXPECT_EQ(change.error().fields()[0].detail, "must be an integer");
  EXPECT_EQ(change.error().fields()[1].detail, "must have 1 to 5 characters");
}

TEST(Nullable, where_nothing_can_be_absent_it_is_null) {
  const auto list = read<std::vector<Nullable<int>>>("[1,null]");
  ASSERT_TRUE(list);
  EXPECT_TRUE((*list)[1].is_null());
  EXPECT_EQ(to_text(std::vector<Nullable<int>>{1, nullptr, {}}), "[1,null,null]");
}

TEST(Nullable, the_three_are_not_equal) {
  const Change absent{};
  const Change null{.assignee = nullptr, .title = {}, .stars = {}};
  const Change zero{.assignee = 0, .title = {}, .stars = {}};
  EXPECT_FALSE(reflect::equal(absent, null));
  EXPECT_FALSE(reflect::equal(null, zero));
  EXPECT_TRUE(reflect::equal(null, null));
  EXPECT_NE(absent.assignee, null.assignee);
}

TEST(Nullable, a_later_state_replaces_the_one_before) {
  Nullable<int> number = 1;
  number.set_null();
  EXPECT_FALSE(number.has_value());
  number.emplace() = 2;
  EXPECT_FALSE(number.is_null());
  number = nullptr;
  EXPECT_TRUE(number.is_null());
  number.reset();
  EXPECT_TRUE(number.is_absent());
}

}  // namespace
}  // namespace eider::json
