#include "eider/core/json/text.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

TEST(JsonText, an_integer_has_digits_alone_however_it_was_written) {
  for (const auto& [token, digits] :
       std::initializer_list<std::pair<const char*, std::optional<std::string>>>{
           {"84.0", "84"},
           {"-84.00", "-84"},
           {"8.4e1", "84"},
           {"8.4E+01", "84"},
           {"8400e-2", "84"},
           {"84.5", std::nullopt},
           {"8.45e1", std::nullopt},
           {"1e-1", std::nullopt},
           {"0.0", "0"},
           {"-0e5", "0"},
           {"0.0e99999999999999999999", "0"},
           {"0.5e1", "5"},
           {"0.01e4", "100"},
           {"10.0", "10"},
           {"1e-99999999999999999999", std::nullopt},
           {"9007199254740993.0", "9007199254740993"},
       }) {
    EXPECT_EQ(integer_digits(token), digits) << token;
  }
  for (const char* const token : {"1e20", "1e400", "1e99999999999999999999", "2.5e19"}) {
    EXPECT_GE(integer_digits(token).value_or("").size(), 20U) << token;
  }
}

}  // namespace
}  // namespace eider::json::detail
