#include "eider/app/handlers/pairs.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/type_of.h"

namespace eider {
namespace {

struct Settings {
  std::string name;
  bool sends_mail;
  std::optional<bool> is_public;
  std::vector<std::string> tags;
};

/// Returns "name: detail | …", or an empty text without errors.
template <class T>
std::string problems(T& object, std::string_view pairs) {
  std::string all;
  for (const FieldError& error : read_pairs(reflect::type_of<T>(), &object, pairs)) {
    all += (all.empty() ? "" : " | ") + error.pointer + ": " + error.detail;
  }
  return all;
}

TEST(Pairs, a_ticked_box_is_true) {
  for (const char* const pairs : {"name=a&sends_mail=on", "name=a&sends_mail=true"}) {
    Settings settings{};
    EXPECT_EQ(problems(settings, pairs), "");
    EXPECT_TRUE(settings.sends_mail) << pairs;
  }
  Settings settings{};
  EXPECT_EQ(problems(settings, "name=a&is_public=on"), "");
  EXPECT_EQ(settings.is_public, true);
}

TEST(Pairs, a_box_that_is_not_ticked_is_not_sent_and_false) {
  Settings settings{};
  EXPECT_EQ(problems(settings, "name=a"), "");
  EXPECT_FALSE(settings.sends_mail);
  EXPECT_EQ(settings.is_public, std::nullopt);
  EXPECT_EQ(problems(settings, "name=a&sends_mail=false"), "");
  EXPECT_FALSE(settings.sends_mail);
}

TEST(Pairs, a_box_holds_nothing_else) {
  for (const char* const value : {"", "ON", "off", "1", "yes"}) {
    Settings settings{};
    EXPECT_EQ(problems(settings, std::string("name=a&sends_mail=") + value),
              "sends_mail: must be true or false")
        << value;
  }
  Settings settings{};
  EXPECT_EQ(problems(settings, "name=on&sends_mail=on&sends_mail=on"),
            "sends_mail: is given more than once");
  EXPECT_EQ(settings.name, "on");
}

struct Chosen {
  std::set<int> numbers;
};

TEST(Pairs, an_element_of_a_set_with_an_error_is_no_duplicate) {
  Chosen chosen;
  EXPECT_EQ(problems(chosen, "numbers=0&numbers=x&numbers=y"),
            "numbers: must be an integer | numbers: must be an integer");
  EXPECT_EQ(problems(chosen, "numbers=0&numbers=00"), "numbers: contains duplicates");
  EXPECT_EQ(problems(chosen, "numbers=0&numbers=-0"), "numbers: contains duplicates");
}

struct OptionalLists {
  std::optional<std::vector<int>> ids;
  std::optional<std::set<std::string>> tags;
  std::optional<Sized<std::vector<int>, 0, 2>> few;
};

TEST(Pairs, an_optional_list_is_a_list_if_a_pair_has_a_value) {
  EXPECT_TRUE(may_be_pairs(reflect::type_of<OptionalLists>()));
  OptionalLists lists{};
  EXPECT_EQ(problems(lists, "ids=1&tags=a&ids=2&few=3"), "");
  EXPECT_EQ(lists.ids, (std::vector<int>{1, 2}));
  EXPECT_EQ(lists.tags, (std::set<std::string>{"a"}));
  ASSERT_TRUE(lists.few.has_value());
  EXPECT_EQ(**lists.few, (std::vector<int>{3}));
  EXPECT_EQ(problems(lists, "ids=&ids=3&tags="), "");
  EXPECT_EQ(lists.ids, (std::vector<int>{3}));
  EXPECT_EQ(lists.tags, std::nullopt);
  OptionalLists wrong{};
  EXPECT_EQ(problems(wrong, "ids=1&ids=x&tags=a&tags=a&few=1&few=2&few=3"),
            "ids: must be an integer | tags: contains duplicates | "
            "few: must have at most 2 elements");
  EXPECT_EQ(problems(wrong, ""), "");
}

TEST(Pairs, errors_are_bounded_in_number_and_in_bytes) {
  std::string unknown;
  std::string twice = "name=a";
  for (int i = 0; i < 1000; ++i) {
    unknown += std::string(i == 0 ? "" : "&") + "é" + std::string(2000, 'x') + std::to_string(i);
    twice += "&name=a";
  }
  for (const std::string& pairs : {unknown, twice}) {
    Settings settings{};
    const auto errors = read_pairs(reflect::type_of<Settings>(), &settings, pairs);
    EXPECT_EQ(errors.size(), 32U);
    for (const FieldError& error : errors) {
      EXPECT_LE(error.pointer.size(), 260U);
    }
  }
}

TEST(Pairs, a_list_that_nothing_is_chosen_from_is_empty_and_all_else_is_missing) {
  Settings settings{};
  EXPECT_EQ(problems(settings, ""), "name: is missing");
  EXPECT_TRUE(settings.tags.empty());
}

}  // namespace
}  // namespace eider
