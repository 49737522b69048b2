#include "eider/protocols/http/ws/mask.h"

#include <cstdint>
#include <cstring>

namespace eider::ws {

namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);
constexpr std::size_t kBlockBytes = 4 * kWordBytes;

/// The key twice, in memory order, so that the byte order of the machine does not matter.
std::uint64_t word_of(MaskKey key) noexcept {
  std::array<unsigned char, kWordBytes> twice{};
  std::memcpy(twice.data(), key.data(), key.size());
  std::memcpy(twice.data() + key.size(), key.data(), key.size());
  std::uint64_t word = 0;
  std::memcpy(&word, twice.data(), kWordBytes);
  return word;
}

void mask_word(char* to, const char* from, std::uint64_t word) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, from, kWordBytes);
  bytes ^= word;
  std::memcpy(to, &bytes, kWordBytes);
}

/// Masks four words at once. All are loaded before any is stored, so that the compiler can use its
/// widest registers even if `to` is `from`.
void mask_block(char* to, const char* from, std::uint64_t word) noexcept {
  std::array<std::uint64_t, 4> words{};
  std::memcpy(words.data(), from, kBlockBytes);
  for (std::uint64_t& one : words) {
    one ^= word;
  }
  std::memcpy(to, words.data(), kBlockBytes);
}

/// Pre: `to` is `from`, or they do not overlap.
void mask_to(char* to, const char* from, std::size_t size, MaskKey key) noexcept {
  const std::uint64_t word = word_of(key);
  std::size_t at = 0;
  for (; size - at >= kBlockBytes; at += kBlockBytes) {
    mask_block(to + at, from + at, word);
  }
  for (; size - at >= kWordBytes; at += kWordBytes) {
    mask_word(to + at, from + at, word);
  }
  for (; at < size; ++at) {
    to[at] = static_cast<char>(static_cast<unsigned char>(from[at]) ^ key[at % 4]);
  }
}

}  // namespace

void mask(std::span<char> bytes, MaskKey key) noexcept {
  mask_to(bytes.data(), bytes.data(), bytes.size(), key);
}

void mask_copy(char* to, std::string_view from, MaskKey key) noexcept {
  mask_to(to, from.data(), from.size(), key);
}

}  // namespace eider::ws
