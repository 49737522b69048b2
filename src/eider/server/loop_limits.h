// The limits of one event loop, which can change while it serves.
// Layering: must not be read by other threads: so requests need no lock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "eider/io/runtime/time.h"
#include "eider/server/limits.h"

namespace eider::detail::server {

/// When the server stops: time without a byte after which an incomplete request is rejected.
inline constexpr Duration kSilenceWhileStopping = std::chrono::seconds(2);

struct LoopLimits : Limits {
  /// its  this loop's share of the limits of the server
  explicit LoopLimits(const Limits& its) noexcept : Limits(its) {}

  /// Sets new limits. Running deadlines do not change.
  void take(const Limits& others, Instant now) noexcept {
    least_before_ = {body_bytes_least(now), written_bytes_least(now)};
    // The rate is measured per interval, and an interval starts with the check of the last one: so
    // an interval with the old limits may end within two.
    before_until_ = std::max(before_until_, now + 2 * std::max(body, write));
    static_cast<Limits&>(*this) = others;
  }

  /// Returns how many bytes must have arrived, or been read by the client, in an interval that ends
  /// now. If the limits have changed during it, the lower one applies.
  [[nodiscard]] std::size_t body_bytes_least(Instant now) const noexcept {
    return milder(least_bytes(body), least_before_.of_body, now);
  }
  [[nodiscard]] std::size_t written_bytes_least(Instant now) const noexcept {
    return milder(least_bytes(write), least_before_.written, now);
  }

 private:
  struct Least {
    std::size_t of_body = 0;
    std::size_t written = 0;
  };

  [[nodiscard]] std::size_t milder(std::size_t least, std::size_t before,
                                   Instant now) const noexcept {
    return now < before_until_ ? std::min(least, before) : least;
  }

  Least least_before_;
  Instant before_until_ = Instant::min();
};

}  // namespace eider::detail::server
