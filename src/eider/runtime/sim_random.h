// The dice of the simulator: the same seed gives the same throws on every machine.
// Must not be used where an attacker could gain from guessing.
#pragma once

#include <cstddef>
#include <cstdint>

namespace eider {

/// SplitMix64: 64 bits of state, passes BigCrush, and any seed is a good one.
class SimRandom {
 public:
  explicit SimRandom(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return bits ^ (bits >> 31U);
  }
  /// 0 <= result < bound. Pre: bound > 0.
  std::size_t below(std::size_t bound) noexcept { return next() % bound; }
  /// True this often: never at 0, always at 1. Throws no die for 0.
  bool happens(double probability) noexcept {
    constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53
    return probability > 0 && static_cast<double>(next() >> 11U) * kUnit < probability;
  }

 private:
  std::uint64_t state_;
};

}  // namespace eider
