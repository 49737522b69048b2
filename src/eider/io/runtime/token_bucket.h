// How often one client may: so many times at once, and then once in each span.
// Must not know whom it counts for, nor wait: what is refused is the caller's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "eider/io/runtime/time.h"

namespace eider {

/// Sixteen bytes and more to hold, nothing to run: for a connection, where rate_limit counts
/// requests.
class TokenBucket {
 public:
  /// Full at first. Pre: tokens > 0
  TokenBucket(std::uint32_t tokens, Duration refill_one_in)
      : pause_(refill_one_in), ahead_max_((tokens - 1) * refill_one_in) {}

  /// Takes a token; false when there is none.
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
