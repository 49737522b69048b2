#include "eider/protocols/route/pattern.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

static_assert(count_parameters("/users/{id}/posts/{post}") == 2);
static_assert(find_fault("/users/{id") == PatternFault::bad_brace);
static_assert(PatternInfo("/a/{b}/{rest...}").name(1) == "rest");

TEST(Pattern, what_fits_the_grammar_has_no_fault) {
  for (const char* pattern : {"/", "/a", "/a/", "/a/b", "/{id}", "/{id}/", "/{rest...}",
                              "/a/{b}/c/{d...}", "/caf\xC3\xA9", "/a b", "/a.b", "/...", "/{_x1}",
                              "/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}", "/~:@!$&'()+,;="}) {
    EXPECT_EQ(find_fault(pattern), PatternFault::none) << pattern;
  }
}

TEST(Pattern, what_does_not_fit_is_named) {
  const struct {
    std::string pattern;
    PatternFault fault;
  } kCases[] = {
      {"", PatternFault::no_slash},
      {"a", PatternFault::no_slash},
      {"*", PatternFault::no_slash},
      {"{id}", PatternFault::no_slash},
      {"/" + std::string(kPatternBytesMax, 'a'), PatternFault::too_long},
      {"//", PatternFault::empty_segment},
      {"/a//b", PatternFault::empty_segment},
      {"/{a}//", PatternFault::empty_segment},
      {"/{", PatternFault::bad_brace},
      {"/}", PatternFault::bad_brace},
      {"/a{b}", PatternFault::bad_brace},
      {"/{b}c", PatternFault::bad_brace},
      {"/{a/b}", PatternFault::bad_brace},
      {"/{}", PatternFault::bad_name},
      {"/{...}", PatternFault::bad_name},
      {"/{1a}", PatternFault::bad_name},
      {"/{a-b}", PatternFault::bad_name},
      {"/{a..}", PatternFault::bad_name},
      {"/{a}{b}", PatternFault::bad_name},
      {"/{{a}}", PatternFault::bad_name},
      {"/{a b}", PatternFault::bad_name},
      {"/:a", PatternFault::colon_name},
      {"/a/:b/c", PatternFault::colon_name},
      {"/:", PatternFault::colon_name},
      {"/%20", PatternFault::bad_byte},
      {"/a?b", PatternFault::bad_byte},
      {"/a#b", PatternFault::bad_byte},
      {"/*", PatternFault::bad_byte},
      {"/a\n", PatternFault::bad_byte},
      {std::string("/a\0", 3), PatternFault::bad_byte},
      {"/\x7F", PatternFault::bad_byte},
      {"/.", PatternFault::dot_segment},
      {"/a/../b", PatternFault::dot_segment},
      {"/{a...}/b", PatternFault::rest_not_last},
      {"/{a...}/", PatternFault::rest_not_last},
      {"/{a}/{a}", PatternFault::doubled_name},
      {"/{a}/b/{a...}", PatternFault::doubled_name},
      {"/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}", PatternFault::too_many_parameters},
  };
  for (const auto& [pattern, fault] : kCases) {
    EXPECT_EQ(find_fault(pattern), fault) << pattern << ": " << to_text(find_fault(pattern));
  }
}

TEST(Pattern, names_come_in_the_order_of_the_pattern) {
  const PatternInfo info("/users/{user}/{post}/{rest...}");
  ASSERT_EQ(info.size(), 3U);
  EXPECT_EQ(info.name(0), "user");
  EXPECT_EQ(info.name(1), "post");
  EXPECT_EQ(info.name(2), "rest");
  EXPECT_TRUE(info.has("post"));
  EXPECT_FALSE(info.has("users"));
}

TEST(Pattern, reads_its_segments_from_the_left) {
  PatternReader reader("/a/{b}/");
  EXPECT_EQ(reader.next().text, "a");
  EXPECT_EQ(reader.next().kind, SegmentKind::parameter);
  ASSERT_TRUE(reader.has_more());
  EXPECT_EQ(reader.next().text, "");
  EXPECT_FALSE(reader.has_more());
}

}  // namespace
}  // namespace eider
