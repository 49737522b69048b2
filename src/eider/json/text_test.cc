#include "eider/json/detail/text.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace eider::json::detail {
namespace {

TEST(JsonText, a_raw_string_ends_at_the_first_quote_that_is_not_escaped) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string plain = std::string(size, 'a') + "\"\\\\\"\"\"\"\"\"\"\"";
    EXPECT_EQ(raw_string(plain.data()).bytes.size(), size);
    EXPECT_FALSE(raw_string(plain.data()).has_escapes);
    const std::string escaped = std::string(size, 'a') + "\\\"\\\\\"\"\"\"\"\"\"\"\"";
    EXPECT_EQ(raw_string(escaped.data()).bytes.size(), size + 4);
    EXPECT_TRUE(raw_string(escaped.data()).has_escapes);
  }
}

TEST(JsonText, numbers_have_one_form) {
  for (const char* const token : {"0", "-0", "7", "-10", "1234567890123456789012"}) {
    EXPECT_EQ(number_form(token), NumberForm::kInteger) << token;
  }
  for (const char* const token : {"0.0", "-1.50", "1e5", "1E-5", "0e+0", "12.5e007"}) {
    EXPECT_EQ(number_form(token), NumberForm::kReal) << token;
  }
  for (const char* const token :
       {"",    "-",     "+1", "00",  "01", "-01", "1.",  ".1",  "1.e1", "e1",   "1e",
        "1e+", "1e1.0", "1x", "0x1", " 1", "1 ",  "inf", "nan", "1,0",  "1.1.1"}) {
    EXPECT_EQ(number_form(token), NumberForm::kNone) << token;
  }
}

}  // namespace
}  // namespace eider::json::detail
