#include "eider/protocols/http/grammar.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

TEST(Grammar, knows_tokens) {
  EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~09azAZ"));
  EXPECT_FALSE(is_token(""));
  for (const char byte : std::string("\0\t\r\n \"(),/:;<=>?@[\\]{}\x7F\x80\xFF", 26)) {
    EXPECT_FALSE(is_token_byte(byte)) << static_cast<int>(byte);
    EXPECT_FALSE(is_token(std::string("a") + byte)) << static_cast<int>(byte);
  }
}

TEST(Grammar, knows_field_values) {
  EXPECT_TRUE(is_field_value(""));
  EXPECT_TRUE(is_field_value("a b\tc \xE9"));
  for (const std::string_view text :
       {" a", "a ", "\ta", "a\t", "a\rb", "a\nb", "a\r\nB: c", "\x7F", "\x1F", "\v"}) {
    EXPECT_FALSE(is_field_value(text)) << text;
  }
  EXPECT_FALSE(is_field_value(std::string_view("\0", 1)));
}

}  // namespace
}  // namespace eider
