// Token bucket: a burst, and then one call in each interval.
// Layering: must not know the client that it counts for, nor wait: the caller handles rejections.
#pragma once

#include <algorithm>
#include <cstdint>

#include "eider/io/runtime/time.h"

namespace eider {

/// A token bucket of sixteen bytes, without a timer: for a connection. rate_limit counts requests.
class TokenBucket {
 public:
  /// Starts full. Pre: tokens > 0
  TokenBucket(std::uint32_t tokens, Duration refill_one_in)
      : pause_(refill_one_in), ahead_max_((tokens - 1) * refill_one_in) {}

  /// Takes a token; returns false if the bucket is empty.
  [[nodiscard]] bool take(Instant now) noexcept {
    if (full_at_ > now + ahead_max_) {
      return false;
    }
    full_at_ = std::max(full_at_, now) + pause_;
    return true;
  }

 private:
  Duration pause_;
  Duration ahead_max_;
  Instant full_at_;
};

}  // namespace eider
