#include "eider/core/json/text.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace eider::json::detail {
namespace {

TEST(JsonText, a_string_is_plain_up_to_a_quote_a_backslash_or_a_control_character) {
  for (std::size_t size = 0; size < 70; ++size) {
    for (const char* const behind : {"\"", "\\", "\x1f", "\n"}) {
      for (const std::string& rest : {std::string(), std::string(20, '"'), std::string(20, 'b')}) {
        const std::string text = std::string(size, '\x7f') + behind + rest;
        EXPECT_EQ(find_mark(text.data(), text.data() + text.size()), text.data() + size);
        EXPECT_EQ(find_mark(text.data(), text.data() + size), text.data() + size);
      }
    }
    const std::string foreign = std::string(size, '\xff') + " !#";
    const char* const end = foreign.data() + foreign.size();
    EXPECT_EQ(find_mark(foreign.data(), end), end);
  }
}

TEST(JsonText, equal_bytes_compares_all_of_a_name_and_copy_short_copies_all) {
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string name =
        std::string("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN").substr(0, size);
    EXPECT_TRUE(equal_bytes(name.data(), std::string(name)));
    for (std::size_t i = 0; i < size; ++i) {
      std::string other = name;
      other[i] = '.';
      EXPECT_FALSE(equal_bytes(other.data(), name)) << other;
    }
    if (size <= kShortBytesMax) {
      std::string copy(size + 1, '.');
      copy_short(copy.data(), name);
      EXPECT_EQ(copy, name + '.');
    }
  }
}

TEST(JsonText, a_short_real_is_the_number_that_from_chars_reads) {
  for (const char* const token :
       {"0", "-0", "0.1", "-12.5", "9007199254740992", "9007199254740993", "900719925474099.2",
        "16777216", "16777217", "0.0000000001", "0.00000000001", "123456.789", "1677721.5",
        "999999999999999.9", "12345678901234567890123", "0.1234567890123456789"}) {
    const auto expect = [token]<class Real>(Real) {
      const std::string text = std::string(token) + ",";
      const char* const token_end = text.data() + text.size() - 1;
      Real number = 7;
      Real expected = 0;
      bool is_stored = false;
      std::from_chars(text.data(), token_end, expected);
      EXPECT_EQ(read_short_real(text.data(), number, is_stored), token_end) << token;
      EXPECT_EQ(number, is_stored ? expected : 7) << token;
      EXPECT_EQ(std::signbit(number), is_stored && std::signbit(expected)) << token;
    };
    expect(double{});
    expect(float{});
  }
  double number = 7;
  bool is_stored = false;
  for (const char* const token : {"", "-", "+1", "01", "-01", "1.", ".1", "1e5", "1E5", "1.5e1"}) {
    const std::string text = std::string(token) + ",";
    EXPECT_EQ(read_short_real(text.data(), number, is_stored), nullptr) << token;
    EXPECT_FALSE(is_stored) << token;
  }
  EXPECT_NE(read_short_real("12.25}", number, is_stored), nullptr);
  EXPECT_TRUE(is_stored);
  EXPECT_EQ(number, 12.25);
  EXPECT_NE(read_short_real("9007199254740993}", number, is_stored), nullptr);
  EXPECT_FALSE(is_stored) << "there is no such double";
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
