#include "eider/core/base/sip_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace eider {
namespace {

constexpr SipKey kReferenceKey{.first = 0x0706050403020100U, .second = 0x0f0e0d0c0b0a0908U};

/// The message of the reference: bytes 00, 01, 02 …
std::string counted(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text += static_cast<char>(text.size());
  }
  return text;
}

// The first two of the reference's 128-bit vectors, in its byte order.
TEST(SipHash, of_128_bits_is_that_of_the_reference) {
  const std::array<std::uint64_t, 2> empty = {std::byteswap(0xa3817f04ba25a8e6U),
                                              std::byteswap(0x6df67214c7550293U)};
  const std::array<std::uint64_t, 2> one = {std::byteswap(0xda87c1d86b99af44U),
                                            std::byteswap(0x347659119b22fc45U)};
  EXPECT_EQ(sip_hash_128(kReferenceKey, ""), empty);
  EXPECT_EQ(sip_hash_128(kReferenceKey, counted(1)), one);
}

TEST(SipHash, is_that_of_its_reference) {
  std::string text;
  std::vector<std::uint64_t> hashes;
  for (int length = 0; length < 16; ++length) {
    hashes.push_back(sip_hash(kReferenceKey, text));
    text.push_back(static_cast<char>(length));
  }
  EXPECT_EQ(hashes[0], 0x726fdb47dd0e0e31U);
  EXPECT_EQ(hashes[1], 0x74f839c593dc67fdU);
  EXPECT_EQ(hashes[8], 0x93f5f5799a932462U);
  EXPECT_EQ(hashes[15], 0xa129ca6149be45e5U);
}

TEST(SipHash, has_keys_that_differ) {
  EXPECT_NE(SipKey::random().first, SipKey::random().first);
}

TEST(SipHash, tells_each_length_and_each_byte_apart) {
  const std::string text = counted(40);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto whole = sip_hash_128({}, std::string_view(text).substr(0, size));
    EXPECT_NE(whole, sip_hash_128({}, std::string_view(text).substr(0, size + 1))) << size;
    std::string other = text.substr(0, size + 1);
    other.back() = static_cast<char>(other.back() ^ 1);
    EXPECT_NE(sip_hash_128({}, std::string_view(text).substr(0, size + 1)), sip_hash_128({}, other))
        << size;
  }
}

}  // namespace
}  // namespace eider
