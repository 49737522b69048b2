#include "eider/core/reflect/compare.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "eider/core/reflect/constraints.h"

namespace eider::reflect {
namespace {

struct Circle {
  double radius = 1;
};
struct Square {
  float side = 1;
};
struct Rich {
  int number = 0;
  std::string text;
  const char* chars = nullptr;
  std::vector<Circle> circles;
  std::array<int, 2> pair = {};
  std::optional<int> maybe;
  std::map<std::string, int> counts;
  std::variant<Circle, Square> shape;
  Bounded<int, 0, 9> digit = 0;
};

TEST(Equal, holds_for_copies) {
  const Rich rich{1, "a", "b", {{2}}, {3, 4}, 5, {{"c", 6}}, Square{7}, 8};
  const Rich copy = rich;
  EXPECT_TRUE(equal(rich, copy));
  EXPECT_TRUE(equal(Rich(), Rich()));
}

TEST(Equal, sees_a_difference_in_any_member) {
  const Rich rich{1, "a", "b", {{2}}, {3, 4}, 5, {{"c", 6}}, Square{7}, 8};
  const auto differs = [&rich](auto change) {
    Rich other = rich;
    change(other);
    return !equal(rich, other) && !equal(other, rich);
  };
  EXPECT_TRUE(differs([](Rich& other) { other.number = 0; }));
  EXPECT_TRUE(differs([](Rich& other) { other.text.clear(); }));
  EXPECT_TRUE(differs([](Rich& other) { other.chars = nullptr; }));
  EXPECT_TRUE(differs([](Rich& other) { other.chars = "B"; }));
  EXPECT_TRUE(differs([](Rich& other) { other.circles[0].radius = 0; }));
  EXPECT_TRUE(differs([](Rich& other) { other.circles.clear(); }));
  EXPECT_TRUE(differs([](Rich& other) { other.pair[1] = 0; }));
  EXPECT_TRUE(differs([](Rich& other) { other.maybe = 0; }));
  EXPECT_TRUE(differs([](Rich& other) { other.maybe.reset(); }));
  EXPECT_TRUE(differs([](Rich& other) { other.counts = {{"d", 6}}; }));
  EXPECT_TRUE(differs([](Rich& other) { other.counts["c"] = 0; }));
  EXPECT_TRUE(differs([](Rich& other) { other.shape = Circle{7}; }));
  EXPECT_TRUE(differs([](Rich& other) { other.shape = Square{0}; }));
  EXPECT_TRUE(differs([](Rich& other) { other.digit = 0; }));
}

TEST(Equal, nothing_equals_nan) {
  const Circle circle{std::numeric_limits<double>::quiet_NaN()};
  EXPECT_FALSE(equal(circle, circle));
  EXPECT_TRUE(equal(Circle{0.0}, Circle{-0.0}));
}

TEST(IsFresh, is_what_value_initialisation_makes) {
  const Rich fresh;
  Rich used;
  used.counts["x"] = 1;
  const std::array<std::string, 2> strings;
  EXPECT_TRUE(is_fresh(type_of<Rich>(), &fresh));
  EXPECT_FALSE(is_fresh(type_of<Rich>(), &used));
  EXPECT_TRUE(is_fresh(type_of<decltype(strings)>(), &strings));
}

}  // namespace
}  // namespace eider::reflect
