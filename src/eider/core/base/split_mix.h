// Pseudo-random numbers: the same seed gives the same numbers on every machine.
// Layering: must not be used where an attacker could gain from guessing.
#pragma once

#include <cstdint>

namespace eider {

/// SplitMix64: 64 bits of state, passes BigCrush, and any seed is a good one.
class SplitMix64 {
 public:
  explicit constexpr SplitMix64(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e37'79b9'7f4a'7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return bits ^ (bits >> 31U);
  }
  /// Returns a number in [0, 1), in steps of 2^-53.
  double next_share() noexcept { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace eider
