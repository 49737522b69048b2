#include "eider/core/base/utf8_stream.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "eider/core/base/utf8.h"

namespace eider {
namespace {

using namespace std::string_view_literals;

struct Broken {
  std::string_view text;
  /// The number of bytes at the start that may still be valid text.
  std::size_t good_bytes;
};

constexpr std::array kBroken{
    Broken{"\x80"sv, 0},
    Broken{"\xBF"sv, 0},
    Broken{"\xC0\x80"sv, 0},
    Broken{"\xC1\xBF"sv, 0},
    Broken{"\xF5\x80"sv, 0},
    Broken{"\xFE"sv, 0},
    Broken{"\xFF"sv, 0},
    Broken{"a\x80"sv, 1},
    Broken{"\xC2x"sv, 1},
    Broken{"\xC2\xC2\x80"sv, 1},
    Broken{"\xE0\x9F\xBF"sv, 1},
    Broken{"\xED\xA0\x80"sv, 1},
    Broken{"\xED\xBF\xBF"sv, 1},
    Broken{"\xF0\x8F\xBF\xBF"sv, 1},
    Broken{"\xF4\x90\x80\x80"sv, 1},
    Broken{"\xE1\x80x"sv, 2},
    Broken{"\xE1\x80\xC0"sv, 2},
    Broken{"\xF1\x80\x80x"sv, 3},
    Broken{"\xE2\x82\xAC\x80"sv, 3},
    Broken{"\xF0\x9F\xA6\x86\xBF"sv, 4},
};

constexpr std::array kWhole{
    ""sv,
    "a"sv,
    "\0"sv,
    "\x7F"sv,
    "\xC2\x80"sv,
    "\xDF\xBF"sv,
    "\xE0\xA0\x80"sv,
    "\xED\x9F\xBF"sv,
    "\xEE\x80\x80"sv,
    "\xEF\xBF\xBF"sv,
    "\xF0\x90\x80\x80"sv,
    "\xF4\x8F\xBF\xBF"sv,
    "\xF0\x9F\xA6\x86"sv,
    "\xCE\xBA\xE1\xBD\xB9\xCF\x83\xCE\xBC\xCE\xB5"sv,
};

/// Feeds `text` byte by byte; returns how many bytes were accepted before an error.
std::size_t bytes_before_failure(std::string_view text) {
  Utf8Stream stream;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!stream.take(text.substr(at, 1))) {
      return at;
    }
  }
  return text.size();
}

TEST(Utf8Stream, fails_at_the_first_byte_that_cannot_be) {
  for (const Broken& broken : kBroken) {
    EXPECT_EQ(bytes_before_failure(broken.text), broken.good_bytes) << broken.text;
  }
}

TEST(Utf8Stream, a_piece_that_cannot_be_fails_wherever_it_stands_and_for_good) {
  for (const Broken& broken : kBroken) {
    for (std::size_t before = 0; before < 70; ++before) {
      std::string text(before, 'x');
      text.append(broken.text.substr(0, broken.good_bytes + 1));
      Utf8Stream stream;
      EXPECT_FALSE(stream.take(text)) << before;
      EXPECT_FALSE(stream.take("a"));
      EXPECT_FALSE(stream.take(""));
      EXPECT_FALSE(stream.is_whole());
    }
  }
}

TEST(Utf8Stream, text_is_whole_only_between_sequences_however_it_is_cut) {
  for (const std::string_view whole : kWhole) {
    for (std::size_t before = 0; before < 40; ++before) {
      const std::string text = std::string(before, 'x') + std::string(whole);
      for (std::size_t cut = 0; cut <= text.size(); ++cut) {
        Utf8Stream stream;
        EXPECT_TRUE(stream.take(std::string_view(text).substr(0, cut)));
        EXPECT_EQ(stream.is_whole(), is_utf8(std::string_view(text).substr(0, cut)));
        EXPECT_TRUE(stream.take(std::string_view(text).substr(cut)));
        EXPECT_TRUE(stream.is_whole());
      }
    }
  }
}

// Compares two implementations: all sequences of two bytes, and of three for each first byte.
TEST(Utf8Stream, judges_all_short_texts_as_is_utf8_does) {
  for (int one = 0; one < 256; ++one) {
    for (int two = 0; two < 256; ++two) {
      for (const int three : {0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF}) {
        const std::array text{static_cast<char>(one), static_cast<char>(two),
                              static_cast<char>(three), '\x80'};
        for (std::size_t size = 1; size <= text.size(); ++size) {
          Utf8Stream stream;
          const std::string_view part(text.data(), size);
          EXPECT_EQ(stream.take(part) && stream.is_whole(), is_utf8(part)) << one << " " << two;
        }
      }
    }
  }
}

TEST(Utf8Stream, begins_anew) {
  Utf8Stream stream;
  EXPECT_FALSE(stream.take("\xFF"));
  stream.restart();
  EXPECT_TRUE(stream.take("\xE2\x82"));
  EXPECT_FALSE(stream.is_whole());
  stream.restart();
  EXPECT_TRUE(stream.take("a"));
  EXPECT_TRUE(stream.is_whole());
}

static_assert(sizeof(Utf8Stream) == 3);

}  // namespace
}  // namespace eider
