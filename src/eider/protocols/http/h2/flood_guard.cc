#include "eider/protocols/http/h2/flood_guard.h"

#include <algorithm>

namespace eider::h2 {

namespace {

constexpr std::uint32_t kWhole = 1000;
/// After this time, each allowance is complete again.
constexpr std::uint64_t kRefillMsMax = 100'000;

}  // namespace

Allowance allowance_of(Cheap kind) noexcept {
  switch (kind) {
    case Cheap::reset:  // a user leaves a page with a hundred streams, twice
      return {.burst = 200, .per_second = 20};
    case Cheap::provoked_reset:
      return {.burst = 50, .per_second = 2};
    case Cheap::ping:
      return {.burst = 100, .per_second = 10};
    case Cheap::settings:
      return {.burst = 30, .per_second = 2};
    case Cheap::priority:  // browsers change the priorities of all streams of a page at once
      return {.burst = 500, .per_second = 100};
    case Cheap::empty:
      return {.burst = 50, .per_second = 5};
    case Cheap::window_update:
      return {.burst = 1000, .per_second = 200};
    case Cheap::continuation:
      return {.burst = 50, .per_second = 20};
    case Cheap::unknown:
      return {.burst = 100, .per_second = 10};
  }
  return {.burst = 0, .per_second = 0};
}

bool FloodGuard::allows(Cheap kind, std::uint64_t now_ms) noexcept {
  if (now_ms != refilled_ms_) {
    refill(now_ms);
  }
  std::uint32_t& used = used_[static_cast<std::size_t>(kind)];
  used += kWhole;
  return used <= allowance_of(kind).burst * kWhole;
}

void FloodGuard::earn(Cheap kind, std::uint32_t count) noexcept {
  std::uint32_t& used = used_[static_cast<std::size_t>(kind)];
  used -= std::min(used, count * kWhole);
}

void FloodGuard::refill(std::uint64_t now_ms) noexcept {
  // The cap prevents an overflow of the product below.
  const std::uint64_t passed = std::min(now_ms - refilled_ms_, kRefillMsMax);
  refilled_ms_ = now_ms;
  for (std::size_t kind = 0; kind < kCheapCount; ++kind) {
    // One per second is a thousandth per millisecond.
    const std::uint64_t back = passed * allowance_of(static_cast<Cheap>(kind)).per_second;
    used_[kind] -= static_cast<std::uint32_t>(std::min<std::uint64_t>(used_[kind], back));
  }
}

}  // namespace eider::h2
