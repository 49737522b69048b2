// How many connections to one server there are, and how many of them are at work.
// Must not be held up by a lock: each loop tells its part, and any thread asks.
#pragma once

#include <atomic>
#include <cstddef>

#include "eider/data/db/pool.h"

namespace eider::db {

/// What the loops' connections to one server come to. From any thread.
class PoolCounts {
 public:
  void add(const PoolState& now, const PoolState& before) noexcept {
    connections_.fetch_add(now.connections - before.connections, std::memory_order_relaxed);
    busy_.fetch_add(now.busy - before.busy, std::memory_order_relaxed);
    waiting_.fetch_add(now.waiting - before.waiting, std::memory_order_relaxed);
  }
  [[nodiscard]] PoolState state() const noexcept {
    return {.connections = connections_.load(std::memory_order_relaxed),
            .busy = busy_.load(std::memory_order_relaxed),
            .waiting = waiting_.load(std::memory_order_relaxed)};
  }

 private:
  // What is taken off is added to what wraps around.
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace eider::db
