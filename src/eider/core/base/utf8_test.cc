#include "eider/core/base/utf8.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "eider/core/base/text_encoding.h"

namespace eider {
namespace {

using namespace std::string_view_literals;

// Stray, overlong, incomplete, half of a surrogate pair, above U+10FFFF.
constexpr std::array kBad{"\x80"sv,
                          "\xBF"sv,
                          "\xC0\x80"sv,
                          "\xC1\xBF"sv,
                          "\xC2"sv,
                          "\xC2x"sv,
                          "\xE0\x9F\xBF"sv,
                          "\xE1\x80"sv,
                          "\xED\xA0\x80"sv,
                          "\xF0\x8F\xBF\xBF"sv,
                          "\xF4\x90\x80\x80"sv,
                          "\xF5\x80\x80\x80"sv,
                          "\xFF"sv};

TEST(Utf8, sequences_are_those_of_rfc_3629) {
  EXPECT_EQ(utf8_sequence_bytes("a"), 1U);
  EXPECT_EQ(utf8_sequence_bytes("\xC2\x80"), 2U);
  EXPECT_EQ(utf8_sequence_bytes("\xE0\xA0\x80"), 3U);
  EXPECT_EQ(utf8_sequence_bytes("\xED\x9F\xBF"), 3U);
  EXPECT_EQ(utf8_sequence_bytes("\xF0\x90\x80\x80"), 4U);
  EXPECT_EQ(utf8_sequence_bytes("\xF4\x8F\xBF\xBFx"), 4U);
  for (const std::string_view bad : kBad) {
    EXPECT_EQ(utf8_sequence_bytes(bad), 0U) << bad;
  }
}

TEST(Utf8, text_is_valid_wherever_its_sequences_stand) {
  for (const std::string_view sequence :
       {"a"sv, "\0"sv, "\xC3\xA4"sv, "\xE2\x82\xAC"sv, "\xF0\x9F\xA6\x86"sv}) {
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t behind = 0; behind < 20; ++behind) {
        std::string text(before, 'x');
        text.append(sequence).append(sequence).append(behind, 'y');
        EXPECT_TRUE(is_utf8(text)) << text;
      }
    }
  }
  EXPECT_TRUE(is_utf8(""));
}

TEST(Utf8, one_wrong_byte_is_found_wherever_it_stands) {
  for (const std::string_view bad : kBad) {
    for (std::size_t before = 0; before < 20; ++before) {
      for (std::size_t behind = 0; behind < 20; ++behind) {
        std::string text(before, 'x');
        text.append(bad).append(behind, 'y');
        EXPECT_FALSE(is_utf8(text)) << text;
      }
    }
  }
}

TEST(TextEncoding, errors_have_the_line_of_the_first_wrong_byte) {
  const auto said = [](std::string_view text) {
    const auto error = detail::base::encoding_error(text);
    return error ? std::to_string(error->line) + ": " + std::string(error->what) : std::string();
  };
  const std::string not_utf8 = "the file is not valid UTF-8: save it as UTF-8";
  const std::string nul = "the file contains a NUL character: remove it, or save the file as UTF-8";
  EXPECT_EQ(said(""), "");
  EXPECT_EQ(said("\xEF\xBB\xBF\xC3\xA9\n"), "");
  EXPECT_EQ(said("\xC3\xA9\r\n\n caf\xE9\n\xE9"), "3: " + not_utf8);
  EXPECT_EQ(said("\xC3"), "1: " + not_utf8);
  EXPECT_EQ(said("a\n\0b\n\xE9"sv), "2: " + nul);
  EXPECT_EQ(said("<\0h\0\n\0"sv), "1: " + nul) << "UTF-16 without its mark";
  EXPECT_EQ(said("\xFE\xFF\0<"sv), "1: " + std::string(kSaveAsUtf8));
}

TEST(Utf8, a_cut_keeps_sequences_whole) {
  EXPECT_EQ(cut_utf8("a\xC3\xA9", 3), "a\xC3\xA9");
  EXPECT_EQ(cut_utf8("a\xC3\xA9", 2), "a");
  EXPECT_EQ(cut_utf8("\xE2\x82\xAC", 2), "");
  EXPECT_EQ(cut_utf8("abc", 2), "ab");
  EXPECT_EQ(cut_utf8("abc", 9), "abc");
}

}  // namespace
}  // namespace eider
