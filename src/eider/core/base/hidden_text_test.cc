#include "eider/core/base/hidden_text.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

TEST(HiddenText, knows_what_is_not_shown) {
  for (const std::string_view text :
       {"\x01",   "\x1b",   "\x7F",   "\u0080", "\u009B",     "\u00AD",    "\u061C", "\u180E",
        "\u200B", "\u200D", "\u200F", "\u2028", "\u2029",     "\u202A",    "\u202E", "\u2060",
        "\u2066", "\u2069", "\uFEFF", "\uFFF9", "\U000E0001", "\U000E007F"}) {
    EXPECT_EQ(hidden_at(text).bytes, text.size()) << text;
    EXPECT_EQ(hidden_at(std::string(text) + "a").bytes, text.size()) << text;
  }
  EXPECT_EQ(hidden_at("\u202E").code_point, 0x202EU);
  EXPECT_EQ(hidden_at("\U000E0041").code_point, 0xE0041U);
}

TEST(HiddenText, leaves_all_that_is_shown) {
  for (const std::string_view text :
       {"", "a", " ", "~", "\u00A0", "\u00E9", "\u05D0", "\u2027", "\u202F", "\u20AC", "\u2070",
        "\uFFFD", "\U0001F600", "\xFF", "\xE2\x80", "\xC2"}) {
    EXPECT_EQ(hidden_at(text).bytes, 0U) << text;
  }
}

TEST(HiddenText, is_replaced_one_mark_each) {
  EXPECT_EQ(with_hidden_replaced("a\u202Egpj.exe", '_'), "a_gpj.exe");
  EXPECT_EQ(with_hidden_replaced("\xFF\xE2\x80\u200B\n", '?'), "?????");
  EXPECT_EQ(with_hidden_replaced("\u00E9 \u20AC", '?'), "\u00E9 \u20AC");
}

}  // namespace
}  // namespace eider
