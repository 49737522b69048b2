#include "eider/core/kinds/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

std::string again(std::string_view text) {
  const auto decimal = Decimal::parse(text);
  return decimal ? std::string(std::string_view(decimal->text())) : "none";
}

TEST(Decimal, is_written_as_it_was_read) {
  for (const char* text : {"0", "7", "-7", "12.50", "0.5", "-0.05", "0.00", "999999999999999999",
                           "0.123456789012345678", "-123456789.012345678"}) {
    EXPECT_EQ(again(text), text);
  }
  EXPECT_EQ(again("-0"), "0");
}

TEST(Decimal, is_an_integer_and_a_scale) {
  const auto price = Decimal::parse("-12.50");
  ASSERT_TRUE(price);
  EXPECT_EQ(price->unscaled(), -1250);
  EXPECT_EQ(price->scale(), 2);
}

TEST(Decimal, of_any_other_spelling_is_none) {
  for (const char* text :
       {"",    "-",     ".",   ".5", "5.", "+1",    "01",  "00",       "-01", "1e2", "1E2",
        "1,5", "1.2.3", "--1", " 1", "1 ", "1_000", "NaN", "Infinity", "0x1", "٣"}) {
    EXPECT_EQ(again(text), "none") << text;
  }
}

TEST(Decimal, has_at_most_18_digits) {
  EXPECT_EQ(again("1000000000000000000"), "none");
  EXPECT_EQ(again("0.1234567890123456789"), "none");
  EXPECT_EQ(again("1.123456789012345678"), "none");
  EXPECT_EQ(again(std::string(100'000, '9')), "none");
}

TEST(Decimal, cut_at_any_byte_is_a_shorter_one_or_none) {
  const std::string text = "-120.50";
  for (std::size_t bytes = 0; bytes < text.size(); ++bytes) {
    const std::string cut = text.substr(0, bytes);
    EXPECT_EQ(again(cut), cut.empty() || cut == "-" || cut.back() == '.' ? "none" : cut);
  }
}

TEST(Decimal, is_compared_by_value) {
  const auto of = [](const char* text) { return Decimal::parse(text).value(); };
  EXPECT_EQ(of("1.5"), of("1.50"));
  EXPECT_LT(of("-2"), of("-1.999999999999999"));
  EXPECT_GT(of("999999999999999999"), of("0.999999999999999999"));
  EXPECT_EQ(of("0"), of("0.000000000000000000"));
}

TEST(Decimal, changes_its_scale_where_no_digit_is_lost) {
  const Decimal price = Decimal::parse("12.50").value();
  EXPECT_EQ(price.with_scale(1)->unscaled(), 125);
  EXPECT_EQ(price.with_scale(4)->unscaled(), 125000);
  EXPECT_FALSE(price.with_scale(0));
  EXPECT_FALSE(price.with_scale(18));
  EXPECT_FALSE(price.with_scale(19));
  EXPECT_FALSE(Decimal::from(1'000'000'000'000'000'000, 0));
  EXPECT_FALSE(Decimal::from(1, 19));
}

}  // namespace
}  // namespace eider
