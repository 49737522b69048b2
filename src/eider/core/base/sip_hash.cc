#include "eider/core/base/sip_hash.h"

#include <bit>
#include <cstring>

#include "eider/core/base/secret_bytes.h"

namespace eider {

namespace {

class SipState {
 public:
  explicit SipState(const SipKey& key) noexcept
      : v0_(key.first ^ 0x736f6d6570736575U),
        v1_(key.second ^ 0x646f72616e646f6dU),
        v2_(key.first ^ 0x6c7967656e657261U),
        v3_(key.second ^ 0x7465646279746573U) {}

  void add(std::uint64_t word) noexcept {
    v3_ ^= word;
    turn(2);
    v0_ ^= word;
  }
  std::uint64_t end() noexcept {
    v2_ ^= 0xFFU;
    return finish();
  }
  void begin_128() noexcept { v1_ ^= 0xEEU; }
  std::array<std::uint64_t, 2> end_128() noexcept {
    v2_ ^= 0xEEU;
    const std::uint64_t first = finish();
    v1_ ^= 0xDDU;
    return {first, finish()};
  }

 private:
  std::uint64_t finish() noexcept {
    turn(4);
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }
  void turn(int rounds) noexcept {
    for (int round = 0; round < rounds; ++round) {
      v0_ += v1_;
      v2_ += v3_;
      v1_ = std::rotl(v1_, 13) ^ v0_;
      v3_ = std::rotl(v3_, 16) ^ v2_;
      v0_ = std::rotl(v0_, 32);
      v2_ += v1_;
      v0_ += v3_;
      v1_ = std::rotl(v1_, 17) ^ v2_;
      v3_ = std::rotl(v3_, 21) ^ v0_;
      v2_ = std::rotl(v2_, 32);
    }
  }

  std::uint64_t v0_;
  std::uint64_t v1_;
  std::uint64_t v2_;
  std::uint64_t v3_;
};

/// Reads up to eight bytes, little-endian.
std::uint64_t sip_word(std::string_view bytes) noexcept {
  std::uint64_t word = 0;
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    word |= std::uint64_t{static_cast<unsigned char>(bytes[index])} << (8 * index);
  }
  return word;
}

/// Reads the first eight bytes, with a single load on a little-endian machine.
std::uint64_t sip_word_of_eight(std::string_view bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof word);
    return word;
  } else {
    return sip_word(bytes.substr(0, 8));
  }
}

void add_all(SipState& state, std::string_view text) noexcept {
  const std::uint64_t length = std::uint64_t{text.size()} << 56U;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    state.add(sip_word_of_eight(text));
  }
  state.add(length | sip_word(text));
}

}  // namespace

SipKey SipKey::random() {
  const std::string bytes = secret_bytes(16);
  return {sip_word(std::string_view(bytes).substr(0, 8)),
          sip_word(std::string_view(bytes).substr(8))};
}

std::uint64_t sip_hash(const SipKey& key, std::string_view text) noexcept {
  SipState state(key);
  add_all(state, text);
  return state.end();
}

std::array<std::uint64_t, 2> sip_hash_128(const SipKey& key, std::string_view text) noexcept {
  SipState state(key);
  state.begin_128();
  add_all(state, text);
  return state.end_128();
}

}  // namespace eider
