#include "eider/reflect/constraints.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace eider {
namespace {

using Stars = Range<int, 0, 5>;
using Share = Range<double, 0.0, 1.0>;
using Port = Range<std::uint16_t, 1, 65535>;
using Title = Length<std::string, 1, 5>;
using Tags = Length<std::vector<int>, 0, 2>;

struct Paging {
  int page = 1;
  Range<int, 1, 100> per_page = 20;
  Title title = "first";
};

TEST(Range, weighs_what_its_value_weighs) {
  static_assert(sizeof(Stars) == sizeof(int));
  static_assert(std::is_trivially_copyable_v<Stars>);
}

TEST(Range, takes_its_bounds_and_what_is_between) {
  EXPECT_EQ(Stars(0), 0);
  EXPECT_EQ(Stars(5), 5);
  EXPECT_EQ(*Share(0.5), 0.5);
  EXPECT_EQ(Port(65535), 65535);
}

TEST(Range, refuses_what_is_outside) {
  EXPECT_THROW(Stars(-1), std::invalid_argument);
  EXPECT_THROW(Stars(6), std::invalid_argument);
  EXPECT_THROW(Share(1.0001), std::invalid_argument);
  EXPECT_THROW(Share{std::numeric_limits<double>::quiet_NaN()}, std::invalid_argument);
  EXPECT_THROW(Port(0), std::invalid_argument);
  Stars stars = 3;
  EXPECT_THROW(stars = 9, std::invalid_argument);
  EXPECT_EQ(stars, 3);
}

TEST(Range, reads_as_its_value) {
  constexpr Stars kStars = 4;
  EXPECT_EQ(kStars * 2, 8);
  EXPECT_LT(kStars, 5);
  EXPECT_EQ(4, kStars);
  EXPECT_EQ(kStars, 4L);
  const int value = kStars;
  EXPECT_EQ(value, 4);
}

TEST(Length, counts_code_points_and_elements) {
  EXPECT_EQ(Title("aäß€😀"), "aäß€😀");
  EXPECT_THROW(Title(""), std::invalid_argument);
  EXPECT_THROW(Title("123456"), std::invalid_argument);
  EXPECT_EQ(Tags(std::vector{1, 2})->size(), 2U);
  EXPECT_THROW(Tags(std::vector{1, 2, 3}), std::invalid_argument);
}

TEST(Length, reads_as_its_value) {
  const Title title = "abc";
  const std::string text = title;
  const std::string_view view = title;
  EXPECT_EQ(text, "abc");
  EXPECT_EQ(view, *title);
  EXPECT_EQ(title->size(), 3U);
  EXPECT_EQ(title, Title(std::string("abc")));
  EXPECT_EQ("abc", title);
}

TEST(Constraints, are_members_with_defaults_in_plain_structs) {
  const Paging paging;
  EXPECT_EQ(paging.per_page, 20);
  EXPECT_EQ(paging.title, "first");
  const Paging other{.page = 2, .per_page = 50};
  EXPECT_EQ((other.page - 1) * other.per_page, 50);
}

TEST(Constraints, say_what_they_ask_for) {
  EXPECT_EQ(requirement(Stars::kConstraint), "must be between 0 and 5");
  EXPECT_EQ(requirement(Share::kConstraint), "must be between 0 and 1");
  EXPECT_EQ(requirement(Title::kConstraint), "must have 1 to 5 characters");
  EXPECT_EQ(requirement(Tags::kConstraint), "must have at most 2 elements");
  EXPECT_EQ(requirement(Length<std::string, 3, 3>::kConstraint), "must have exactly 3 characters");
  EXPECT_EQ(requirement(Length<std::string, 1, std::size_t(-1)>::kConstraint),
            "must have at least 1 character");
}

}  // namespace
}  // namespace eider
