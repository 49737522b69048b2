// The random numbers of the simulator: the same seed gives the same sequence on every machine.
// Layering: must not be used for secrets, because the sequence is predictable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eider/core/base/split_mix.h"

namespace eider {

class SimRandom : private SplitMix64 {
 public:
  explicit SimRandom(std::uint64_t seed) noexcept : SplitMix64(seed) {}

  using SplitMix64::next;
  /// 0 <= result < bound. Pre: bound > 0.
  std::size_t below(std::size_t bound) noexcept { return next() % bound; }
  /// Returns true with that probability: never for 0, always for 1. Uses no random number for 0.
  bool happens(double probability) noexcept {
    return probability > 0 && next_share() < probability;
  }
};

}  // namespace eider
