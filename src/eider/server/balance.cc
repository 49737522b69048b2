#include "eider/server/balance.h"

namespace eider::detail::server {

namespace {

/// What a loop may have above the least busy one before its next connection goes there.
constexpr std::size_t slack(std::size_t least) noexcept {
  return least / 8;
}

}  // namespace

Balance::Balance(std::size_t loops, std::size_t connections_max)
    : loops_(loops), connections_max_(connections_max) {}

void Balance::set_connections_max(std::size_t connections_max) {
  const std::lock_guard lock(placing_);
  connections_max_ = connections_max;
}

std::optional<std::size_t> Balance::place(std::size_t loop) {
  const std::lock_guard lock(placing_);
  std::size_t least = loop;
  std::size_t total = 0;
  for (std::size_t index = 0; index < loops_.size(); ++index) {
    total += count(index);
    if (!loops_[index].is_retired && count(index) < count(least)) {
      least = index;
    }
  }
  if (total >= connections_max_) {
    return std::nullopt;
  }
  const std::size_t chosen = count(loop) <= count(least) + slack(count(least)) ? loop : least;
  // It is counted at once, also while it is still on its way to the other loop.
  loops_[chosen].connections.fetch_add(1, std::memory_order_relaxed);
  return chosen;
}

bool Balance::try_retire(std::size_t loop) {
  const std::lock_guard lock(placing_);
  // The lock keeps `place` from sending it a connection between the look and the mark.
  loops_[loop].is_retired |= count(loop) == 0;
  return loops_[loop].is_retired;
}

void Balance::release(std::size_t loop) noexcept {
  loops_[loop].connections.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace eider::detail::server
