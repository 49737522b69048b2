#include "eider/core/base/slug.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(Slug, has_letters_digits_and_single_dashes) {
  struct Case {
    const char* text;
    const char* slug;
  };
  for (const Case& each :
       {Case{"Tea & Cake!", "tea-cake"}, Case{"-tea--room-", "tea-room"},
        Case{"Room 101", "room-101"}, Case{"gr\xC3\xBCn", "gr-n"}, Case{"!", ""}, Case{"", ""}}) {
    EXPECT_EQ(to_slug(each.text), each.slug);
    EXPECT_EQ(to_slug(each.slug), each.slug);
  }
}

TEST(Slug, ends_with_a_letter_at_its_bound) {
  EXPECT_EQ(to_slug("abcdef", 4), "abcd");
  EXPECT_EQ(to_slug("abc def", 4), "abc");
}

}  // namespace
}  // namespace eider
