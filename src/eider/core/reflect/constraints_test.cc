#include "eider/core/reflect/constraints.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace eider {
namespace {

using Stars = Bounded<int, 0, 5>;
using Share = Bounded<double, 0.0, 1.0>;
using Port = Bounded<std::uint16_t, 1, 65535>;
using Title = Sized<std::string, 1, 5>;
using Tags = Sized<std::vector<int>, 0, 2>;

struct Paging {
  int page = 1;
  Bounded<int, 1, 100> per_page = 20;
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

template <class T>
std::string said_by() {
  return to_text(requirement(T::kConstraint, *T::kConstraint.first));
}

TEST(Constraints, say_what_they_ask_for) {
  EXPECT_EQ(said_by<Stars>(), "must be between 0 and 5");
  EXPECT_EQ(said_by<Share>(), "must be between 0 and 1");
  EXPECT_EQ(said_by<Title>(), "must have 1 to 5 characters");
  EXPECT_EQ(said_by<Tags>(), "must have at most 2 elements");
  using Three = Sized<std::string, 3, 3>;
  EXPECT_EQ(said_by<Three>(), "must have exactly 3 characters");
  using Some = Sized<std::string, 1, std::size_t(-1)>;
  EXPECT_EQ(said_by<Some>(), "must have at least 1 character");
}

/// A custom rule, as an application would write it.
struct Even {
  static bool check(int number) { return number % 2 == 0; }
  static Requirement describe() { return {.code = "even", .text = "must be even"}; }
};
using Gloves = Validated<int, Even, InRange<int, 0, 10>>;

TEST(Validated, keeps_rules_of_ones_own_beside_others) {
  static_assert(sizeof(Gloves) == sizeof(int) && std::is_trivially_copyable_v<Gloves>);
  EXPECT_EQ(Gloves(4), 4);
  EXPECT_THROW(Gloves(3), std::invalid_argument);
  EXPECT_THROW(Gloves(12), std::invalid_argument);
}

TEST(Validated, tells_all_rules_that_a_value_breaks) {
  const int number = 13;
  EXPECT_EQ(to_text(reflect::broken_requirements(Gloves::kConstraint, &number)),
            "must be even, must be between 0 and 10");
  try {
    const Gloves gloves = number;
    FAIL() << *gloves;
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), std::string("the value must be even, must be between 0 and 10"));
  }
}

template <class T>
std::vector<std::string> words_of() {
  std::vector<std::string> all;
  for (const auto& [name, json] : requirement(T::kConstraint, *T::kConstraint.first).keywords) {
    all.push_back(std::string(name) + " " + json);
  }
  return all;
}

TEST(Validated, of_a_type_with_rules_keeps_both_and_says_them_of_the_value) {
  using Few = Validated<Stars, InRange<int, 1, 3>, Even>;
  using Word = Validated<Title, HasLength<2, 4>>;
  using Pair = Validated<Tags, HasLength<2, 2>>;
  static_assert(sizeof(Few) == sizeof(int));
  EXPECT_EQ(said_by<Few>(), "must be between 1 and 3");
  EXPECT_EQ(words_of<Few>(), (std::vector<std::string>{"minimum 1", "maximum 3"}));
  EXPECT_EQ(said_by<Word>(), "must have 2 to 4 characters");
  EXPECT_EQ(words_of<Word>(), (std::vector<std::string>{"minLength 2", "maxLength 4"}));
  EXPECT_EQ(words_of<Pair>(), (std::vector<std::string>{"minItems 2", "maxItems 2"}));
  EXPECT_EQ(**Few(2), 2);
  EXPECT_THROW(Few(3), std::invalid_argument);
  EXPECT_THROW(Few(4), std::invalid_argument);
  EXPECT_THROW(Few(7), std::invalid_argument);
  EXPECT_EQ(**Word("abc"), "abc");
  EXPECT_THROW(Word("a"), std::invalid_argument);
  EXPECT_THROW(Word("abcdefg"), std::invalid_argument);
  EXPECT_THROW(Pair(std::vector{1}), std::invalid_argument);
}

TEST(Range, without_an_end_says_the_other_alone) {
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  using Above = Bounded<double, 0.5, kEndless>;
  using Below = Bounded<float, -std::numeric_limits<float>::infinity(), 2.0F>;
  using All = Bounded<double, -kEndless, kEndless>;
  EXPECT_EQ(said_by<Above>(), "must be at least 0.5");
  EXPECT_EQ(words_of<Above>(), (std::vector<std::string>{"minimum 0.5"}));
  EXPECT_EQ(said_by<Below>(), "must be at most 2");
  EXPECT_EQ(words_of<Below>(), (std::vector<std::string>{"maximum 2"}));
  EXPECT_TRUE(words_of<All>().empty());
  EXPECT_EQ(*Above(kEndless), kEndless);
  EXPECT_THROW(All{std::numeric_limits<double>::quiet_NaN()}, std::invalid_argument);
}

TEST(Requirement, puts_its_arguments_into_their_places) {
  const auto text = [](std::string pattern) {
    return to_text(Requirement{"x", std::move(pattern), {{"a", "1"}, {"b", "{a}"}}});
  };
  EXPECT_EQ(text("{a} and {b}, {a}"), "1 and {a}, 1");
  EXPECT_EQ(text("{c} {} {"), "{c} {} {");
  EXPECT_EQ(text("{a"), "{a");
  EXPECT_EQ(text(""), "");
}

}  // namespace
}  // namespace eider
