#include "eider/core/base/sha1.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace eider {
namespace {

std::string hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::string sha1_hex(std::string_view text) {
  const auto digest = sha1(text);
  return hex({digest.data(), digest.size()});
}

struct Known {
  std::string text;
  std::string_view digest;
};

TEST(Sha1, digests_are_those_that_are_published) {
  const Known known[] = {
      {"", "da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"abc", "a9993e364706816aba3e25717850c26c9cd0d89d"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "84983e441c3bd26ebaae4aa1f95129e5e54670f1"},
      {"The quick brown fox jumps over the lazy dog", "2fd4e1c67a2d28fced849ee1bb76e7391b93eb12"},
      {std::string(1000000, 'a'), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"},
  };
  for (const Known& one : known) {
    EXPECT_EQ(sha1_hex(one.text), one.digest);
  }
  EXPECT_EQ(sha1_hex(std::string_view()), known[0].digest);
}

// The lengths at which the padding changes: 55 bytes fit with the length, 56 need another block, 64
// are a whole block.
TEST(Sha1, the_padding_is_right_around_the_end_of_a_block) {
  const std::pair<std::size_t, std::string_view> known[] = {
      {54, "31045e7bb077ff8d188a776b196b980388735dbb"},
      {55, "cef734ba81a024479e09eb5a75b6ddae62e6abf1"},
      {56, "901305367c259952f4e7af8323f480d59f81335b"},
      {57, "025ecbd5d70f8fb3c5457cd96bab13fda305dc59"},
      {63, "0ddc4e0cccd9a12850deb5abb0853a4425559fec"},
      {64, "bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163"},
      {65, "78c741ddc482e4cdf8c474a0876347a0905b6233"},
      {119, "4300320394f7ee239bcdce7d3b8bcee173a0cd5c"},
      {120, "ceb2821639c4b6dcb10bce0e522ca2e608ce056d"},
      {128, "150fa3fbdc899bd0b8f95a9fb6027f564d953762"},
  };
  for (const auto& [bytes, digest] : known) {
    EXPECT_EQ(sha1_hex(std::string(bytes, 'x')), digest) << bytes;
  }
}

TEST(Sha1, every_bit_counts) {
  const std::string text(70, '\0');
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[byte] = static_cast<char>(1 << bit);
      EXPECT_NE(sha1(other), sha1(text));
    }
  }
}

}  // namespace
}  // namespace eider
