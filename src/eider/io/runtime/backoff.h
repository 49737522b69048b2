// The delay before the next attempt after a failure.
// Layering: must not wait, nor count tries: a worker does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "eider/io/runtime/time.h"

namespace eider::detail::runtime {

/// Returns `first` after the first try, twice as long after each further one, at most `max`.
[[nodiscard]] constexpr Duration pause_behind(std::int64_t tries, Duration first,
                                              Duration max) noexcept {
  Duration pause = first;
  for (std::int64_t turn = 1; turn < tries && pause > Duration::zero() && pause < max; ++turn) {
    pause *= 2;
  }
  return std::min(pause, max);
}

/// Changes the delay by up to a quarter, so that clients that failed together do not retry
/// together.
[[nodiscard]] inline Duration with_jitter(Duration pause) {
  thread_local std::minstd_rand random(std::random_device{}());
  const Duration::rep quarter = pause.count() / 4;
  return pause + Duration(std::uniform_int_distribution<Duration::rep>(-quarter, quarter)(random));
}

}  // namespace eider::detail::runtime
