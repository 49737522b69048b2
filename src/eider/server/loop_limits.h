// The limits of one event loop, which can change while it serves.
// Layering: must not be read by other threads: so requests need no lock.
#pragma once

#include <algorithm>
#include <cstddef>

#include "eider/io/runtime/time.h"
#include "eider/server/limits.h"

namespace eider::detail::server {

struct LoopLimits : Limits {
  /// its  for this loop: of what holds for the whole server its share
  explicit LoopLimits(const Limits& its) noexcept : Limits(its) {}

  /// Others hold from now on. Deadlines that are set stay as they are.
  void take(const Limits& others, Instant now) noexcept {
    least_before_ = {body_bytes_least(now), written_bytes_least(now)};
    // A span begins when it is looked at, so one may end within two.
    before_until_ = std::max(before_until_, now + 2 * std::max(body, write));
    static_cast<Limits&>(*this) = others;
  }

  /// What a span that ends now must have brought: of content, and of what a client reads. One that
  /// has begun while other limits held is held to the milder ones.
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
