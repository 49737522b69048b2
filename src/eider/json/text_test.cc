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

TEST(JsonText, utf8_sequences_are_those_of_rfc_3629) {
  EXPECT_EQ(utf8_sequence_bytes("a"), 1U);
  EXPECT_EQ(utf8_sequence_bytes("\xC2\x80"), 2U);
  EXPECT_EQ(utf8_sequence_bytes("\xE0\xA0\x80"), 3U);
  EXPECT_EQ(utf8_sequence_bytes("\xED\x9F\xBF"), 3U);
  EXPECT_EQ(utf8_sequence_bytes("\xF0\x90\x80\x80"), 4U);
  EXPECT_EQ(utf8_sequence_bytes("\xF4\x8F\xBF\xBFx"), 4U);
  for (const std::string_view bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2x", "\xE0\x9F\xBF", "\xE1\x80",
        "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(utf8_sequence_bytes(bad), 0U) << bad;
  }
}

}  // namespace
}  // namespace eider::json::detail
