#include "eider/core/base/sha256.h"

#include <bit>
#include <cstdint>
#include <string>

namespace eider {

namespace {

constexpr std::size_t kSha256BlockBytes = 64;
/// The size of the message's length in bits, at the end of the last block.
constexpr std::size_t kSha256LengthBytes = 8;

using Sha256State = std::array<std::uint32_t, 8>;

/// The fractional parts of the square roots of the first eight primes (section 5.3.3).
constexpr Sha256State kSha256Start = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// The fractional parts of the cube roots of the first 64 primes (section 4.2.2).
constexpr std::array<std::uint32_t, 64> kSha256Rounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t sha256_word(std::string_view block, std::size_t index) noexcept {
  std::uint32_t word = 0;
  for (const char byte : block.substr(4 * index, 4)) {
    word = word << 8U | static_cast<unsigned char>(byte);
  }
  return word;
}

/// The message schedule (section 6.2.2, step 1).
std::array<std::uint32_t, 64> sha256_schedule(std::string_view block) noexcept {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t t = 0; t < 16; ++t) {
    words[t] = sha256_word(block, t);
  }
  for (std::size_t t = 16; t < words.size(); ++t) {
    const std::uint32_t early = words[t - 15];
    const std::uint32_t late = words[t - 2];
    words[t] = words[t - 16] + (std::rotr(early, 7) ^ std::rotr(early, 18) ^ early >> 3U) +
               words[t - 7] + (std::rotr(late, 17) ^ std::rotr(late, 19) ^ late >> 10U);
  }
  return words;
}

Sha256State sha256_add(Sha256State state, std::string_view block) noexcept {
  const auto words = sha256_schedule(block);
  Sha256State now = state;
  for (std::size_t t = 0; t < words.size(); ++t) {
    auto [a, b, c, d, e, f, g, h] = now;
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + kSha256Rounds[t] + words[t];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    now = {one + two, a, b, c, d + one, e, f, g};
  }
  for (std::size_t index = 0; index < state.size(); ++index) {
    state[index] += now[index];
  }
  return state;
}

/// Pads the bytes after the last whole block (section 5.1.1).
std::string sha256_padded(std::string_view rest, std::uint64_t bits) {
  std::string padded(rest);
  padded.push_back(static_cast<char>(0x80));
  const std::size_t blocks =
      (padded.size() + kSha256LengthBytes + kSha256BlockBytes - 1) / kSha256BlockBytes;
  padded.resize(blocks * kSha256BlockBytes - kSha256LengthBytes);
  for (std::size_t index = kSha256LengthBytes; index-- > 0;) {
    padded.push_back(static_cast<char>(bits >> (8 * index)));
  }
  return padded;
}

Sha256Digest sha256_digest(const Sha256State& state) noexcept {
  Sha256Digest digest{};
  for (std::size_t index = 0; index < digest.size(); ++index) {
    digest[index] = static_cast<char>(state[index / 4] >> (24 - 8 * (index % 4)));
  }
  return digest;
}

}  // namespace

Sha256Digest sha256(std::string_view text) {
  const std::uint64_t bits = text.size() * 8;
  Sha256State state = kSha256Start;
  for (; text.size() >= kSha256BlockBytes; text.remove_prefix(kSha256BlockBytes)) {
    state = sha256_add(state, text.substr(0, kSha256BlockBytes));
  }
  const std::string padded = sha256_padded(text, bits);
  for (std::string_view rest = padded; !rest.empty(); rest.remove_prefix(kSha256BlockBytes)) {
    state = sha256_add(state, rest.substr(0, kSha256BlockBytes));
  }
  return sha256_digest(state);
}

Sha256Digest hmac_sha256(std::string_view key, std::string_view text) {
  std::string block(key.size() > kSha256BlockBytes ? std::string(to_view(sha256(key)))
                                                   : std::string(key));
  block.resize(kSha256BlockBytes);
  const auto mixed_with = [&block](unsigned char pad) {
    std::string mixed = block;
    for (char& byte : mixed) {
      byte = static_cast<char>(static_cast<unsigned char>(byte) ^ pad);
    }
    return mixed;
  };
  const Sha256Digest inner = sha256(mixed_with(0x36).append(text));
  return sha256(mixed_with(0x5C).append(to_view(inner)));
}

}  // namespace eider
