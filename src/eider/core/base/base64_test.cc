#include "eider/core/base/base64.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace eider {
namespace {

using namespace std::string_view_literals;

struct Pair {
  std::string_view bytes;
  std::string_view text;
};

// The first seven from RFC 4648, section 10.
constexpr std::array kPairs{
    Pair{"", ""},
    Pair{"f", "Zg=="},
    Pair{"fo", "Zm8="},
    Pair{"foo", "Zm9v"},
    Pair{"foob", "Zm9vYg=="},
    Pair{"fooba", "Zm9vYmE="},
    Pair{"foobar", "Zm9vYmFy"},
    Pair{"\0"sv, "AA=="},
    Pair{"\0\0\0"sv, "AAAA"},
    Pair{"\xFF\xFF\xFF", "////"},
    Pair{"\xFB\xEF\xBE", "++++"},
    Pair{"the sample nonce", "dGhlIHNhbXBsZSBub25jZQ=="},
};

TEST(Base64, bytes_become_text_and_text_the_same_bytes) {
  for (const Pair& pair : kPairs) {
    EXPECT_EQ(to_base64(pair.bytes), pair.text);
    EXPECT_EQ(from_base64(pair.text), std::string(pair.bytes)) << pair.text;
    EXPECT_EQ(base64_size(pair.bytes.size()), pair.text.size());
  }
}

TEST(Base64, all_byte_values_at_all_places_come_back) {
  for (std::size_t size = 1; size < 8; ++size) {
    for (int value = 0; value < 256; ++value) {
      const std::string bytes(size, static_cast<char>(value));
      EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
    }
  }
}

TEST(Base64, text_with_a_second_spelling_or_none_is_refused) {
  for (const std::string_view bad :
       {"="sv,        "=="sv,     "===="sv, "A"sv,    "AA"sv,    "AAA"sv,
        "AAA=="sv,    "A==="sv,   "A="sv,   "=AAA"sv, "AA=A"sv,  "Zg==Zg=="sv,
        "Zm8=Zm9v"sv, "Zh=="sv,   "Zm9="sv, "Z/=="sv, "Zm9v "sv, " Zm9v"sv,
        "Zm9v\n"sv,   "Zm\n9v"sv, "Zm9-"sv, "Zm9_"sv, "Zm9\0"sv, "Zm9\xC3"sv,
        "Zm9vYmF"sv,  "Zg==="sv,  "Zg="sv,  "Zg= "sv, "Z==="sv,  "Zm9v===="sv}) {
    EXPECT_EQ(from_base64(bad), std::nullopt) << bad;
  }
}

TEST(Base64, nothing_is_written_behind_the_room_there_is) {
  std::array<char, 4> room{'.', '.', '.', '.'};
  EXPECT_EQ(read_base64("Zm9v", {room.data(), 2}), std::nullopt);
  EXPECT_EQ(read_base64("Zm8=", {room.data(), 1}), std::nullopt);
  EXPECT_EQ(room[1], '.');
  EXPECT_EQ(read_base64("Zm8=", {room.data(), 2}), 2U);
  EXPECT_EQ(std::string_view(room.data(), room.size()), "fo..");
}

TEST(Base64, hexadecimal_digits_are_two_for_each_byte) {
  EXPECT_EQ(to_hex(""), "");
  EXPECT_EQ(to_hex(std::string_view("\0\x0f\xf0\xffZ", 5)), "000ff0ff5a");
}

TEST(Base64, without_padding_and_for_urls_bytes_come_back) {
  for (const Pair& pair : kPairs) {
    const std::string bare(pair.text.substr(0, pair.text.find('=')));
    EXPECT_EQ(to_base64_unpadded(pair.bytes), bare);
    EXPECT_EQ(from_base64_unpadded(bare), std::string(pair.bytes)) << bare;
    EXPECT_EQ(from_base64url(to_base64url(pair.bytes)), std::string(pair.bytes)) << bare;
  }
  EXPECT_EQ(to_base64url("\xFB\xEF\xBE\xFF\xFF"), "----__8");
}

TEST(Base64, without_padding_there_is_one_spelling) {
  for (const char* text : {"Zg==", "Zg=", "Zm8=", "Z", "Zm9vY", "Zh", "Zm9", "Zg\n", "=", "A==="}) {
    EXPECT_FALSE(from_base64_unpadded(text).has_value()) << text;
    EXPECT_FALSE(from_base64url(text).has_value()) << text;
  }
  for (const char* text : {"++++", "////", "--+-", "Zm9/"}) {
    EXPECT_FALSE(from_base64url(text).has_value()) << text;
  }
  EXPECT_FALSE(from_base64_unpadded("----").has_value());
}

}  // namespace
}  // namespace eider
