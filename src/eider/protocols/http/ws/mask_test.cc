#include "eider/protocols/http/ws/mask.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::ws {
namespace {

constexpr MaskKey kMask{0x37, 0xFA, 0x21, 0x3D};

std::string sample(std::size_t bytes) {
  std::string text;
  for (std::size_t index = 0; index < bytes; ++index) {
    text += static_cast<char>(index * 37 + index / 256);
  }
  return text;
}

/// "transformed-octet-i = original-octet-i XOR masking-key-octet-j", j = i MOD 4
std::string masked_one_by_one(std::string text, const MaskKey& key) {
  for (std::size_t index = 0; index < text.size(); ++index) {
    text[index] = static_cast<char>(static_cast<unsigned char>(text[index]) ^ key[index % 4]);
  }
  return text;
}

TEST(Mask, is_that_of_the_rfc_for_all_sizes_and_places) {
  for (std::size_t size = 0; size < 140; ++size) {
    for (std::size_t before = 0; before < 9; ++before) {
      const std::string text = sample(size);
      std::string room(before, '.');
      room += text + ".";
      mask({room.data() + before, size}, kMask);
      EXPECT_EQ(room.substr(before, size), masked_one_by_one(text, kMask)) << size;
      EXPECT_EQ(room.back(), '.');
      std::string copy(before + size + 1, '.');
      mask_copy(copy.data() + before, text, kMask);
      EXPECT_EQ(copy, room);
    }
  }
}

TEST(Mask, twice_is_nothing) {
  const std::string text = sample(1000);
  std::string twice = text;
  mask(twice, kMask);
  EXPECT_NE(twice, text);
  mask(twice, kMask);
  EXPECT_EQ(twice, text);
}

TEST(Mask, goes_on_anywhere_with_a_key_turned_to_there) {
  const std::string text = sample(100);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::string parts = text;
    mask({parts.data(), cut}, kMask);
    mask({parts.data() + cut, text.size() - cut}, rotated(kMask, cut));
    EXPECT_EQ(parts, masked_one_by_one(text, kMask)) << cut;
  }
}

}  // namespace
}  // namespace eider::ws
