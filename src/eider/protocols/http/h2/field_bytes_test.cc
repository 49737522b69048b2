#include "eider/protocols/http/h2/field_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace eider::h2::detail {
namespace {

constexpr std::size_t kLongest = 25;  // three words and a byte

bool is_lower_token_by_bytes(std::string_view name) {
  return is_token(name) &&
         std::ranges::none_of(name, [](char byte) { return byte >= 'A' && byte <= 'Z'; });
}

TEST(FieldBytes, are_judged_as_one_by_one_at_every_place) {
  for (std::size_t bytes = 1; bytes <= kLongest; ++bytes) {
    for (std::size_t at = 0; at < bytes; ++at) {
      for (int value = 0; value < 256; ++value) {
        std::string text(bytes, 'x');
        text[at] = static_cast<char>(value);
        ASSERT_EQ(is_value(text), is_field_value(text)) << bytes << " " << at << " " << value;
        ASSERT_EQ(is_lower_token(text), is_lower_token_by_bytes(text))
            << bytes << " " << at << " " << value;
      }
    }
  }
}

// Each byte in a word is checked by itself: no sum may carry over into the next one.
TEST(FieldBytes, are_judged_as_one_by_one_beside_any_other) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      for (const std::size_t at : {std::size_t{0}, std::size_t{3}, std::size_t{6}}) {
        std::string text(8, '-');
        text[at] = static_cast<char>(first);
        text[at + 1] = static_cast<char>(second);
        ASSERT_EQ(is_value(text), is_field_value(text)) << first << " " << second;
        ASSERT_EQ(is_lower_token(text), is_lower_token_by_bytes(text)) << first << " " << second;
      }
    }
  }
}

TEST(FieldBytes, make_an_empty_value_and_no_empty_name) {
  EXPECT_TRUE(is_value(""));
  EXPECT_FALSE(is_lower_token(""));
}

TEST(FieldBytes, hold_what_fields_hold) {
  for (const std::string_view value :
       {"a", "a b", "a\tb", "GET", "a long value\twith a tab", "\xC3\xA9t\xC3\xA9 beyond ASCII"}) {
    EXPECT_TRUE(is_value(value)) << value;
  }
  for (const std::string_view value :
       {" ", "\t", " a", "a ", "\ta", "a\t", "a\nb", "line\r\nline", "\x7F", "long enough \x7F"}) {
    EXPECT_FALSE(is_value(value)) << value;
  }
  for (const std::string_view name :
       {"a", "te", "x-1", "sec-ch-ua", "user-agent", "!#$%&'*+.^_`|~", "a-name-of-many-words"}) {
    EXPECT_TRUE(is_lower_token(name)) << name;
  }
  for (const std::string_view name :
       {":path", "Te", "user-Agent", "a b", "a:", "a-name-of-many-words\n", "caf\xC3\xA9", "{}"}) {
    EXPECT_FALSE(is_lower_token(name)) << name;
  }
}

}  // namespace
}  // namespace eider::h2::detail
