#include "cli/openapi_client/names.h"

#include <gtest/gtest.h>

namespace eider::openapi_client {
namespace {

TEST(ClientNames, are_identifiers_and_each_is_taken_once) {
  Names names({"class"});
  EXPECT_EQ(names.take("a"), "a");
  EXPECT_EQ(names.take("a"), "a_2");
  EXPECT_EQ(names.take("a_2"), "a_2_2");
  EXPECT_EQ(names.take("a-b c"), "a_b_c");
  EXPECT_EQ(names.take("1"), "_1");
  EXPECT_EQ(names.take(""), "_");
  EXPECT_EQ(names.take("class"), "class_");
  EXPECT_EQ(names.take("\xC3\xA4*/"), "____");
}

TEST(ClientNames, are_found_at_once_however_many_are_alike) {
  Names names({"__2"});
  std::string last;
  for (int i = 0; i < 200'000; ++i) {
    last = names.take("\xC3");
  }
  EXPECT_EQ(last, "__200001");
}

TEST(ClientTexts, end_no_literal) {
  EXPECT_EQ(typescript_literal("a\"b\\c\n"), R"("a\"b\\c\u000a")");
  EXPECT_EQ(typescript_literal("\xE2\x80\xA8\xE2\x80\xAE\xEF\xBB\xBF\xC2\x85"),
            R"("\u2028\u202e\ufeff\u0085")");
  EXPECT_EQ(typescript_literal("\U000E0041\u200Ba"), R"("\u{e0041}\u200ba")");
  EXPECT_EQ(typescript_literal("gr\xC3\xB6\xC3\x9F"
                               "er \xE2\x80\xA6"),
            "\"gr\xC3\xB6\xC3\x9F"
            "er \xE2\x80\xA6\"");
  EXPECT_EQ(typescript_literal(std::string_view("\0", 1)), R"("\u0000")");
  EXPECT_EQ(cpp_literal("a\"b\\c\n1\xC3\xB6"), R"("a\"b\\c\0121\303\266")");
}

TEST(ClientTexts, end_no_comment) {
  EXPECT_EQ(comment_line("a */ b **/"), "a * / b ** /");
  EXPECT_EQ(comment_line("a\r\nb\xE2\x80\xA9"
                         "c"),
            "a  b c");
  EXPECT_EQ(comment_line("ends in \\ \\"), "ends in");
  EXPECT_EQ(comment_lines("a\nb\n"), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(comment_lines("").empty());
}

}  // namespace
}  // namespace eider::openapi_client
