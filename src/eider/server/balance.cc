#include "eider/server/balance.h"

namespace eider::detail::server {

namespace {

/// Returns how many more connections than the least busy loop a loop may have and still get the
/// next.
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
  // Counted now, although the connection may still be in transit to the other loop.
  loops_[chosen].connections.fetch_add(1, std::memory_order_relaxed);
  return chosen;
}

bool Balance::try_retire(std::size_t loop) {
  const std::lock_guard lock(placing_);
  // The lock prevents `place` from choosing this loop between the check and the mark.
  loops_[loop].is_retired |= count(loop) == 0;
  return loops_[loop].is_retired;
}

void Balance::release(std::size_t loop) noexcept {
  loops_[loop].connections.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace eider::detail::server
