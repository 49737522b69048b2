#include "eider/protocols/http/field_values.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

constexpr std::string_view kLines =
    "Cache-Control: max-age=1, Private\r\n"
    "Vary: Accept\r\n"
    "Vary-Not: Origin\r\n"
    "cache-control:no-cache=\"X\"\r\n"
    "VARY:  Cookie , accept-encoding \r\n"
    "Empty:\r\n";

TEST(FieldValues, yields_all_of_one_name_in_their_order) {
  FieldValues values(kLines, "vary");
  EXPECT_EQ(values.next(), "Accept");
  EXPECT_EQ(values.next(), "Cookie , accept-encoding");
  EXPECT_EQ(values.next(), std::nullopt);
  EXPECT_EQ(values.next(), std::nullopt);
  EXPECT_EQ(FieldValues(kLines, "Empty").next(), "");
  EXPECT_EQ(FieldValues(kLines, "Var").next(), std::nullopt);
  EXPECT_EQ(FieldValues({}, "Vary").next(), std::nullopt);
}

TEST(FieldValues, an_item_is_found_in_any_line_with_or_without_an_argument) {
  EXPECT_TRUE(has_item(kLines, "Cache-Control", "private"));
  EXPECT_TRUE(has_item(kLines, "Cache-Control", "no-cache"));
  EXPECT_TRUE(has_item(kLines, "Cache-Control", "max-age"));
  EXPECT_TRUE(has_item(kLines, "Vary", "Accept-Encoding"));
  EXPECT_FALSE(has_item(kLines, "Vary", "Origin"));
  EXPECT_FALSE(has_item(kLines, "Vary", "Accept-"));
  EXPECT_FALSE(has_item(kLines, "Cache-Control", "1"));
  EXPECT_FALSE(has_item(kLines, "Empty", "x"));
}

TEST(FieldValues, are_joined_to_one) {
  EXPECT_EQ(joined_values(kLines, "Vary"), "Accept, Cookie , accept-encoding");
  EXPECT_EQ(joined_values(kLines, "Empty"), "");
  EXPECT_EQ(joined_values(kLines, "Absent"), "");
}

}  // namespace
}  // namespace eider
