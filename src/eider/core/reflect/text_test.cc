#include "eider/core/reflect/text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "eider/core/reflect/constraints.h"

namespace eider::reflect {
namespace {

enum class Sort { newest, oldest };

template <class T>
Result<T, std::string> read_as(std::string_view text) {
  T value{};
  if (auto read = read_text(type_of<T>(), &value, text); !read) {
    return fail(to_text(read.error()));
  }
  return value;
}

TEST(ReadText, takes_scalars_of_every_kind) {
  EXPECT_EQ(read_as<bool>("true"), true);
  EXPECT_EQ(read_as<int>("-17"), -17);
  EXPECT_EQ(read_as<std::uint8_t>("255"), 255);
  EXPECT_EQ(read_as<std::uint8_t>("-0"), 0);
  EXPECT_EQ(read_as<std::int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(read_as<double>("2.5e1"), 25.0);
  EXPECT_EQ(read_as<double>("-1e-999"), 0.0);
  EXPECT_EQ(read_as<std::string>(" as it is "), " as it is ");
  EXPECT_EQ(read_as<Sort>("oldest"), Sort::oldest);
  EXPECT_EQ(read_as<std::optional<int>>("4").value(), 4);
  EXPECT_EQ((read_as<Bounded<int, 1, 9>>("9").value()), 9);
}

template <class T>
std::string problem_of(std::string_view text) {
  const auto read = read_as<T>(text);
  return read ? "none" : read.error();
}

TEST(ReadText, says_what_it_wanted_instead) {
  EXPECT_EQ(problem_of<bool>("1"), "must be true or false");
  EXPECT_EQ(problem_of<bool>(""), "must be true or false");
  EXPECT_EQ(problem_of<int>(""), "must be an integer");
  EXPECT_EQ(problem_of<int>("-"), "must be an integer");
  EXPECT_EQ(problem_of<int>("+1"), "must be an integer");
  EXPECT_EQ(problem_of<int>(" 1"), "must be an integer");
  EXPECT_EQ(problem_of<int>("1.0"), "must be an integer");
  EXPECT_EQ(problem_of<int>("12x"), "must be an integer");
  EXPECT_EQ(problem_of<unsigned>("--1"), "must be an integer");
  EXPECT_EQ(problem_of<int>("2147483648"), "must be between -2147483648 and 2147483647");
  EXPECT_EQ(problem_of<std::int8_t>("-129"), "must be between -128 and 127");
  EXPECT_EQ(problem_of<std::uint16_t>("-1"), "must be between 0 and 65535");
  EXPECT_EQ(problem_of<std::uint64_t>("18446744073709551616"),
            "must be between 0 and 18446744073709551615");
  EXPECT_EQ(problem_of<double>("1e999"), "is too large");
  EXPECT_EQ(problem_of<double>("inf"), "must be a number");
  EXPECT_EQ(problem_of<double>("-nan"), "must be a number");
  EXPECT_EQ(problem_of<double>("1,5"), "must be a number");
  EXPECT_EQ(problem_of<float>("1e39"), "is too large");
  EXPECT_EQ(problem_of<Sort>("Newest"), "must be one of newest, oldest");
  EXPECT_EQ((problem_of<Bounded<int, 1, 9>>("10")), "must be between 1 and 9");
  EXPECT_EQ((problem_of<Bounded<int, 1, 9>>("ten")), "must be an integer");
  EXPECT_EQ((problem_of<Bounded<unsigned, 1, 9>>("-1")), "must be between 1 and 9");
  EXPECT_EQ((problem_of<Bounded<int, 1, 9>>("99999999999")), "must be between 1 and 9");
  EXPECT_EQ((problem_of<Sized<std::string, 1, 9>>("")), "must have 1 to 9 characters");
  EXPECT_EQ(problem_of<std::vector<int>>("1"), "cannot be read from text");
}

TEST(ReadText, knows_which_types_it_takes) {
  EXPECT_TRUE(is_text_type(type_of<std::optional<Bounded<int, 1, 9>>>()));
  EXPECT_FALSE(is_text_type(type_of<std::optional<std::vector<int>>>()));
  EXPECT_FALSE(is_text_type(type_of<std::string_view>()));
}

}  // namespace
}  // namespace eider::reflect
