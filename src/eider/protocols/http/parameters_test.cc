#include "eider/protocols/http/parameters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

/// Returns "name|value" for each, and "!" if the reader stopped at an error.
std::vector<std::string> read(std::string_view field_value) {
  std::vector<std::string> parameters;
  ParameterReader reader(field_value);
  while (const auto parameter = reader.next()) {
    parameters.push_back(std::string(parameter->name) + "|" + parameter->text());
  }
  if (reader.is_malformed()) {
    parameters.emplace_back("!");
  }
  EXPECT_FALSE(reader.next().has_value()) << "the end stays the end";
  return parameters;
}

using Read = std::vector<std::string>;

TEST(ParameterReader, yields_tokens_and_quoted_strings_in_their_order) {
  EXPECT_EQ(read("text/html"), Read{});
  EXPECT_EQ(read("text/html;charset=utf-8"), (Read{"charset|utf-8"}));
  EXPECT_EQ(read("a ; b=c\t;\td=\"e f\";G=h"), (Read{"b|c", "d|e f", "G|h"}));
  EXPECT_EQ(read("a;b=\"\""), (Read{"b|"}));
  EXPECT_EQ(read("a;b="), (Read{"b|"}));
  EXPECT_EQ(read("a;b=; c=\t;d=e"), (Read{"b|", "c|", "d|e"}));
  EXPECT_EQ(read("a;b=\"c;d=e\";f=g"), (Read{"b|c;d=e", "f|g"}));
  EXPECT_EQ(read("a;b=\"\\\"\\\\c\\d\""), (Read{"b|\"\\cd"}));
  EXPECT_EQ(read("a;b=\"\xC3\xA9\t\""), (Read{"b|\xC3\xA9\t"}));
}

TEST(ParameterReader, passes_over_empty_ones) {
  EXPECT_EQ(read("a;"), Read{});
  EXPECT_EQ(read("a; ;;b=c; "), (Read{"b|c"}));
}

TEST(ParameterReader, stops_at_what_is_no_parameter) {
  for (const std::string_view text :
       {"a;b", "a;b =c", "a;b= c", "a;=c", "a;b=c d", "a;b=c,d=e", "a;b=\"c", "a;b=\"c\\",
        "a;b=\"c\\\"", "a;b=\"c\"d", "a;b=\"\x01\"", "a;b=\"\\\x7F\"", "a;b=(c)", "a;b=c/d",
        "a;\"b\"=c"}) {
    const Read parameters = read(text);
    ASSERT_FALSE(parameters.empty()) << text;
    EXPECT_EQ(parameters.back(), "!") << text;
  }
}

TEST(ParameterReader, yields_what_stands_in_front_of_the_mistake) {
  EXPECT_EQ(read("a;b=c;d"), (Read{"b|c", "!"}));
}

TEST(WithoutParameters, is_what_stands_in_front) {
  EXPECT_EQ(without_parameters("text/html; charset=a"), "text/html");
  EXPECT_EQ(without_parameters(" text/html\t"), "text/html");
  EXPECT_EQ(without_parameters(";a=b"), "");
  EXPECT_EQ(without_parameters(""), "");
}

TEST(FindParameter, compares_without_case) {
  const FoundParameter found = find_parameter("a; Charset=\"x\"; b=c", "charset");
  EXPECT_EQ(found.outcome, ParameterSearch::found);
  EXPECT_EQ(found.parameter.value, "x");
  EXPECT_TRUE(found.parameter.is_quoted);
}

TEST(FindParameter, never_chooses_between_two) {
  EXPECT_EQ(find_parameter("a;b=c;B=c", "b").outcome, ParameterSearch::doubled);
  EXPECT_EQ(find_parameter("a;b=c", "d").outcome, ParameterSearch::absent);
  EXPECT_EQ(find_parameter("a", "a").outcome, ParameterSearch::absent);
}

TEST(FindParameter, reads_to_the_end) {
  EXPECT_EQ(find_parameter("a;b=c;d", "b").outcome, ParameterSearch::malformed);
  EXPECT_EQ(find_parameter("a;b=c;d", "e").outcome, ParameterSearch::malformed);
}

TEST(FieldScanner, passes_only_what_it_gives) {
  FieldScanner scanner(" a=\"b");
  EXPECT_EQ(scanner.token(), "");
  scanner.skip_blanks();
  EXPECT_EQ(scanner.token(), "a");
  EXPECT_FALSE(scanner.accept(';'));
  EXPECT_TRUE(scanner.accept('='));
  EXPECT_EQ(scanner.quoted(), std::nullopt);
  EXPECT_EQ(scanner.rest(), "\"b");
  EXPECT_FALSE(scanner.is_at_end());
}

}  // namespace
}  // namespace eider
