#include "eider/web/middleware/rate_table.h"

#include <algorithm>

namespace eider::detail::middleware {

RateTable::RateTable(RateTerms terms, std::size_t keys_max) : terms_(terms), places_(keys_max) {}

RateDecision RateTable::take(std::string_view key, Instant now) {
  const std::uint64_t hash = places_.hash_of(key);
  const std::lock_guard lock(locks_[places_.set_of(hash) % kLocks]);
  Place& place = places_.find_or_put(Place{.hash = hash, .at = now},
                                     [&](const Place& other) { return worth(other, now); });
  switch (terms_.algorithm) {
    case RateAlgorithm::token_bucket:
      return take_token(place, now);
    case RateAlgorithm::sliding_window:
      return take_in_window(place, now);
  }
  return {};
}

/// Returns the time until a place is no longer relevant.
Duration RateTable::worth(const Place& place, Instant now) const noexcept {
  if (place.hash == 0) {
    return Duration::min();
  }
  return terms_.algorithm == RateAlgorithm::token_bucket
             ? place.at - now
             : terms_.per / terms_.requests * std::min(place.count, terms_.requests) -
                   (now - place.at);
}

/// The generic cell rate algorithm of ATM: a bucket is the time when it is full again, and each
/// token postpones it.
RateDecision RateTable::take_token(Place& place, Instant now) const noexcept {
  const Duration token = terms_.per / terms_.requests;
  const Instant full_at = std::max(place.at, now) + token;
  const Duration room = terms_.per - (full_at - now);
  if (room < Duration::zero()) {
    return {.is_admitted = false, .remaining = 0, .wait = -room};
  }
  place.at = full_at;
  const auto remaining = static_cast<std::uint32_t>(room / token);
  return {.is_admitted = true,
          .remaining = remaining,
          .wait = remaining > 0 ? Duration::zero() : token - room};
}

void RateTable::move_window(Place& place, Instant now) const noexcept {
  const auto windows = (now - place.at) / terms_.per;
  if (windows > 0) {
    place.before = windows == 1 ? place.count : 0;
    place.count = 0;
    place.at += terms_.per * windows;
  }
}

/// The previous window counts with the share of it that is within the last `per`, as if its
/// requests had arrived evenly.
RateDecision RateTable::take_in_window(Place& place, Instant now) const noexcept {
  move_window(place, now);
  const double share = 1.0 - std::chrono::duration<double>(now - place.at) / terms_.per;
  const double counted = place.count + place.before * share;
  const Duration rest = terms_.per - (now - place.at);
  if (counted + 1.0 > terms_.requests) {
    const bool helps_to_wait = place.before > 0 && place.count < terms_.requests;
    return {.is_admitted = false,
            .remaining = 0,
            .wait = helps_to_wait ? std::min(rest, terms_.per / place.before)
                                  : rest + terms_.per / terms_.requests};
  }
  ++place.count;
  const auto remaining = static_cast<std::uint32_t>(terms_.requests - counted - 1.0);
  return {.is_admitted = true,
          .remaining = remaining,
          .wait = remaining > 0 ? Duration::zero() : terms_.per / terms_.requests};
}

}  // namespace eider::detail::middleware
