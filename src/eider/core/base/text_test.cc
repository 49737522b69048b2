#include "eider/core/base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

TEST(Text, compares_letters_without_case_and_nothing_else) {
  EXPECT_TRUE(equals_ignoring_case("", ""));
  EXPECT_TRUE(equals_ignoring_case("Content-Length", "cONTENT-lENGTH"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("a-b", "a\rb"));  // they differ in the same bit as 'a' and 'A'
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
  EXPECT_FALSE(equals_ignoring_case("@", "`"));
  EXPECT_FALSE(equals_ignoring_case("\xC3\xA9", "\xC3\x89"));
}

TEST(Text, secrets_are_equal_when_every_byte_is) {
  const std::string secret("k\0y-\xFF 0123456789abcdef0123456789abcdef", 38);
  EXPECT_TRUE(equals_in_constant_time("", ""));
  EXPECT_TRUE(equals_in_constant_time(secret, std::string(secret)));
  EXPECT_FALSE(equals_in_constant_time(secret, secret.substr(1)));
  EXPECT_FALSE(equals_in_constant_time(secret.substr(0, 37), secret));
  EXPECT_FALSE(equals_in_constant_time("", secret));
  for (std::size_t byte = 0; byte < secret.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string other = secret;
      other[byte] = static_cast<char>(static_cast<unsigned char>(other[byte]) ^ 1U << bit);
      EXPECT_FALSE(equals_in_constant_time(other, secret)) << byte;
      EXPECT_FALSE(equals_in_constant_time(secret, other)) << byte;
    }
  }
}

TEST(Text, trims_spaces_and_tabs_only) {
  EXPECT_EQ(trim(" \t a b \t "), "a b");
  EXPECT_EQ(trim("\na\r"), "\na\r");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, knows_hexadecimal_digits) {
  EXPECT_EQ(hex_value('0'), 0);
  EXPECT_EQ(hex_value('9'), 9);
  EXPECT_EQ(hex_value('a'), 10);
  EXPECT_EQ(hex_value('F'), 15);
  for (const char byte : {'g', 'G', '/', ':', '@', '`', ' ', '\0', '\xFF'}) {
    EXPECT_EQ(hex_value(byte), -1) << byte;
  }
}

TEST(Text, reads_whole_numbers_of_any_size) {
  EXPECT_EQ(parse_integer<int>("0"), 0);
  EXPECT_EQ(parse_integer<int>("-2147483648"), -2147483647 - 1);
  EXPECT_EQ(parse_integer<int>("2147483647"), 2147483647);
  EXPECT_EQ(parse_integer<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_integer<std::int64_t>("-9223372036854775808"),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_integer<std::uint64_t>("18446744073709551615"),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse_integer<int>("007"), 7);
}

TEST(Text, reads_no_number_where_there_is_none) {
  for (const std::string_view text :
       {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "1a", "--1"}) {
    EXPECT_EQ(parse_integer<int>(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_integer<int>("2147483648"), std::nullopt);
  EXPECT_EQ(parse_integer<std::int8_t>("-129"), std::nullopt);
  EXPECT_EQ(parse_integer<std::uint8_t>("256"), std::nullopt);
  EXPECT_EQ(parse_integer<std::uint8_t>("-1"), std::nullopt);
  EXPECT_EQ(parse_integer<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_integer<std::int64_t>("9223372036854775808"), std::nullopt);
}

TEST(Text, reads_decimal_numbers) {
  EXPECT_EQ(parse_double("1"), 1.0);
  EXPECT_EQ(parse_double("-1.5"), -1.5);
  EXPECT_EQ(parse_double("1e3"), 1000.0);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("0.1"), 0.1);
}

TEST(Text, reads_no_decimal_number_where_there_is_none) {
  for (const std::string_view text : {"", "-", ".", "+1", " 1", "1 ", "inf", "-inf", "nan", "INF",
                                      "0x1p3", "1e", "1e999", "1,5"}) {
    EXPECT_EQ(parse_double(text), std::nullopt) << text;
  }
}

TEST(Text, takes_the_text_before_a_mark) {
  std::string_view rest = "a,,b\r\nc";
  EXPECT_EQ(take_until(rest, ","), "a");
  EXPECT_EQ(take_until(rest, ","), "");
  EXPECT_EQ(take_until(rest, "\r\n"), "b");
  EXPECT_EQ(take_until(rest, ","), "c");
  EXPECT_EQ(rest, "");
  EXPECT_EQ(take_until(rest, ","), "");
}

TEST(Text, joins_texts) {
  EXPECT_EQ(joined(std::vector<std::string>(), ", "), "");
  EXPECT_EQ(joined(std::vector<std::string_view>{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(joined(std::vector<std::string>{"", "b", ""}, ", "), ", b, ");
  const auto text = [](int number) { return std::to_string(number); };
  EXPECT_EQ(joined(std::vector{1, 2, 3}, "-", text), "1-2-3");
}

TEST(Text, converts_only_ascii_letters_to_lower_case) {
  EXPECT_EQ(in_lower_case("Content-TYPE [\xC3\x89]"), "content-type [\xC3\x89]");
}

}  // namespace
}  // namespace eider
