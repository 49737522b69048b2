#include "eider/middleware/rate_table.h"

#include <algorithm>
#include <bit>
#include <span>

namespace eider::detail::middleware {

RateTable::RateTable(RateRule rule, std::uint32_t requests, Duration per, std::size_t keys_max)
    : rule_(rule),
      requests_(requests),
      per_(per),
      places_(std::bit_ceil(std::max(keys_max, kWays))) {}

RateAnswer RateTable::take(std::string_view key, Instant now) {
  const std::uint64_t hash = std::max<std::uint64_t>(sip_hash(key_, key), 1);
  const std::size_t set = (hash >> 32U) % (places_.size() / kWays);
  const std::lock_guard lock(locks_[set % kLocks]);
  Place& place = place_in(std::span(places_).subspan(set * kWays, kWays), hash, now);
  switch (rule_) {
    case RateRule::token_bucket:
      return take_token(place, now);
    case RateRule::sliding_window:
      return take_in_window(place, now);
  }
  return {};
}

RateTable::Place& RateTable::place_in(std::span<Place> set, std::uint64_t hash, Instant now) {
  const auto found = std::ranges::find(set, hash, &Place::hash);
  if (found != set.end()) {
    return *found;
  }
  Place& least =
      *std::ranges::min_element(set, {}, [&](const Place& place) { return worth(place, now); });
  least = Place{.hash = hash, .at = now};
  return least;
}

/// How long it takes until what a place knows says nothing any more.
Duration RateTable::worth(const Place& place, Instant now) const noexcept {
  if (place.hash == 0) {
    return Duration::min();
  }
  return rule_ == RateRule::token_bucket
             ? place.at - now
             : per_ / requests_ * std::min(place.count, requests_) - (now - place.at);
}

/// As ATM's generic cell rate algorithm has it: a bucket is the instant at which it is full again,
/// and each token puts that off.
RateAnswer RateTable::take_token(Place& place, Instant now) const noexcept {
  const Duration token = per_ / requests_;
  const Instant full_at = std::max(place.at, now) + token;
  const Duration room = per_ - (full_at - now);
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
  const auto windows = (now - place.at) / per_;
  if (windows > 0) {
    place.before = windows == 1 ? place.count : 0;
    place.count = 0;
    place.at += per_ * windows;
  }
}

/// The window before counts by the share of it that lies within the last `per`, as though its
/// requests had come evenly.
RateAnswer RateTable::take_in_window(Place& place, Instant now) const noexcept {
  move_window(place, now);
  const double share = 1.0 - std::chrono::duration<double>(now - place.at) / per_;
  const double counted = place.count + place.before * share;
  const Duration rest = per_ - (now - place.at);
  if (counted + 1.0 > requests_) {
    const bool helps_to_wait = place.before > 0 && place.count < requests_;
    return {.is_admitted = false,
            .remaining = 0,
            .wait = helps_to_wait ? std::min(rest, per_ / place.before) : rest + per_ / requests_};
  }
  ++place.count;
  const auto remaining = static_cast<std::uint32_t>(requests_ - counted - 1.0);
  return {.is_admitted = true,
          .remaining = remaining,
          .wait = remaining > 0 ? Duration::zero() : per_ / requests_};
}

}  // namespace eider::detail::middleware
