// The pauses between attempts to connect to one server.
// Layering: must not wait itself.
#pragma once

#include <cstdint>

#include "eider/core/base/split_mix.h"
#include "eider/data/redis/redis_options.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/time.h"

namespace eider::redis::detail {

class ConnectPauses {
 public:
  ConnectPauses(const RedisOptions& options, std::uint64_t seed) noexcept
      : first_(options.retry_first), max_(options.retry_max), random_(seed) {}

  /// Behind an attempt that failed.
  [[nodiscard]] Duration next() noexcept {
    ++tries_;
    return pause();
  }
  /// Behind the end of a connection. A server that greets and closes would otherwise be connected
  /// to without a pause.
  void note_end(Instant made, Instant now) noexcept {
    const bool has_stood = now - made >= max_;
    tries_ = has_stood ? 0 : tries_ + 1;
    not_before_ = now + (has_stood ? Duration::zero() : pause());
  }
  /// Of the next attempt.
  [[nodiscard]] Instant not_before() const noexcept { return not_before_; }

 private:
  /// Between half of it and all of it, so that the loops of many machines do not come at once.
  [[nodiscard]] Duration pause() noexcept {
    const Duration whole = eider::detail::runtime::pause_behind(tries_, first_, max_);
    const double share = (1 + random_.next_share()) / 2;
    return std::chrono::duration_cast<Duration>(whole * share);
  }

  Duration first_;
  Duration max_;
  SplitMix64 random_;
  std::int64_t tries_ = 0;  // that have failed
  Instant not_before_;
};

}  // namespace eider::redis::detail
