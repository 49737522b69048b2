#include "eider/core/base/sha1.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace eider {

namespace {

constexpr std::size_t kBlockBytes = 64;
/// The size of the message's length in bits, at the end of the last block.
constexpr std::size_t kLengthBytes = 8;

using Sha1State = std::array<std::uint32_t, 5>;
using Schedule = std::array<std::uint32_t, 80>;
using Block = std::array<char, kBlockBytes>;

std::uint32_t read_word(const char* at) noexcept {
  std::uint32_t word = 0;
  for (int index = 0; index < 4; ++index) {
    word = word << 8U | static_cast<unsigned char>(at[index]);
  }
  return word;
}

/// The message schedule (section 6.1.2, step 1).
Schedule schedule_of(const char* block) noexcept {
  Schedule words{};
  for (std::size_t t = 0; t < 16; ++t) {
    words[t] = read_word(block + 4 * t);
  }
  for (std::size_t t = 16; t < words.size(); ++t) {
    words[t] = std::rotl(words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16], 1);
  }
  return words;
}

/// Returns f + K of round t (sections 4.1.1 and 4.2.1).
std::uint32_t mix(std::size_t t, std::uint32_t b, std::uint32_t c, std::uint32_t d) noexcept {
  if (t < 20) {
    return ((b & c) ^ (~b & d)) + 0x5a827999U;
  }
  if (t < 40) {
    return (b ^ c ^ d) + 0x6ed9eba1U;
  }
  if (t < 60) {
    return ((b & c) ^ (b & d) ^ (c & d)) + 0x8f1bbcdcU;
  }
  return (b ^ c ^ d) + 0xca62c1d6U;
}

Sha1State add_block(Sha1State state, const char* block) noexcept {
  const Schedule words = schedule_of(block);
  Sha1State now = state;
  for (std::size_t t = 0; t < words.size(); ++t) {
    auto [a, b, c, d, e] = now;
    now = {std::rotl(a, 5) + mix(t, b, c, d) + e + words[t], a, std::rotl(b, 30), c, d};
  }
  for (std::size_t index = 0; index < state.size(); ++index) {
    state[index] += now[index];
  }
  return state;
}

void put_length(Block& block, std::uint64_t bits) noexcept {
  for (std::size_t index = 0; index < kLengthBytes; ++index) {
    block[kBlockBytes - 1 - index] = static_cast<char>(bits >> (8 * index));
  }
}

/// Adds the bytes after the last whole block, with padding (section 5.1.1).
Sha1State add_rest(Sha1State state, std::string_view rest, std::uint64_t bits) noexcept {
  Block block{};
  std::memcpy(block.data(), rest.data(), rest.size());
  block[rest.size()] = static_cast<char>(0x80);
  if (rest.size() + 1 > kBlockBytes - kLengthBytes) {
    state = add_block(state, block.data());
    block.fill(0);
  }
  put_length(block, bits);
  return add_block(state, block.data());
}

}  // namespace

std::array<char, kSha1Bytes> sha1(std::string_view text) noexcept {
  Sha1State state{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (; text.size() >= kBlockBytes; text.remove_prefix(kBlockBytes)) {
    state = add_block(state, text.data());
  }
  state = add_rest(state, text.empty() ? std::string_view("") : text, bits);
  std::array<char, kSha1Bytes> digest{};
  for (std::size_t index = 0; index < digest.size(); ++index) {
    digest[index] = static_cast<char>(state[index / 4] >> (24 - 8 * (index % 4)));
  }
  return digest;
}

}  // namespace eider
