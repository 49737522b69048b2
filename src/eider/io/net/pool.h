// A pool of connections to other servers, limited in number and idle time.
// Layering: must not connect, nor know the protocol: the holder of a lease adds the connection.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/timer.h"

namespace eider::net {

/// A connection that a pool can manage. Its destructor closes it.
///
/// finish   ends one use, and cleans up after it
/// is_idle  whether it can be reused: nothing is in progress, and the peer has not disconnected
/// close    ends the connection, with a closing message if the protocol has one
template <class C>
concept Poolable = requires(C& connection, const C& constant) {
  { connection.finish() } noexcept;
  { constant.is_idle() } noexcept -> std::convertible_to<bool>;
  { connection.close() } noexcept;
};

/// per_key_max  maximum number of leases for one key, and all_max for all keys; further requests
///              wait in order. All_max also limits idle connections together with leases.
/// idle         unused connections are closed after this time
struct PoolLimits {
  std::size_t per_key_max;
  std::size_t all_max;
  Duration idle;
};

struct NothingMore {};

/// More  additional data of the user for each key
template <Poolable Connection, class More = NothingMore>
class Pool final : private Timer {
  struct Idle {
    std::unique_ptr<Connection> connection;
    Instant since;
  };

 public:
  class Lease;
  class Use;

  /// The data of one key. Its address does not change as long as there is a Use of it, a lease, or
  /// an idle connection.
  class Entry {
   public:
    /// Called only by Pool::entry.
    explicit Entry(std::size_t leases_max) noexcept : permits_(leases_max) {}

    /// Returns whether `is` is true for one of its idle connections.
    template <class Is>
    [[nodiscard]] bool has_idle(Is is) const {
      return std::ranges::any_of(idle_, [&is](const Idle& one) { return is(*one.connection); });
    }

   private:
    friend class Pool;
    friend class Use;
    friend class Lease;

    Semaphore permits_;
    std::size_t uses_ = 0;
    std::vector<Idle> idle_;  // the latest is last

   public:
    More more;  // destroyed first: leases in it return their connections to the other members
  };

  /// Pre: the pool outlives its leases and the tasks that wait for one.
  Pool(Loop& loop, PoolLimits limits) noexcept
      : loop_(loop), limits_(limits), permits_(limits.all_max) {}

  [[nodiscard]] Entry& entry(const std::string& key) {
    if (entries_.size() >= entries_max_) {
      forget_unused();
    }
    return entries_.try_emplace(key, limits_.per_key_max).first->second;
  }
  /// Returns null if there is no such entry.
  [[nodiscard]] Entry* find(const std::string& key) noexcept {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// Returns a lease without a connection, if one is available and no task waits for it.
  [[nodiscard]] Lease try_lease(Entry& entry);
  /// Returns a lease with the latest idle connection that `fits`, or no lease.
  template <class Fits>
  [[nodiscard]] Lease try_idle(Entry& entry, Fits fits);
  /// The same, but waits until `due`; returns nothing if no lease is available by then.
  ///
  /// entry  the task keeps it
  [[nodiscard]] Task<std::optional<Lease>> lease(Entry& entry, Instant due);

  /// Returns how many leases are available now.
  [[nodiscard]] std::size_t free_leases(const Entry& entry) const noexcept {
    return std::min(entry.permits_.available(), permits_.available());
  }
  [[nodiscard]] std::size_t idle_connections() const noexcept;

 private:
  void expire() override;
  [[nodiscard]] Task<Lease> wait_for_lease(Entry& entry);
  void keep(Entry& entry, std::unique_ptr<Connection> connection);
  void make_room() noexcept;
  void close_old(Entry& entry, Instant before) noexcept;
  void forget_unused() noexcept;

  static constexpr std::size_t kEntriesMin = 16;

  Loop& loop_;
  PoolLimits limits_;
  Semaphore permits_;
  std::unordered_map<std::string, Entry> entries_;
  std::size_t entries_max_ = kEntriesMin;  // at this number, unused entries are removed
};

/// Keeps an entry at its address.
template <Poolable Connection, class More>
class Pool<Connection, More>::Use {
 public:
  Use() noexcept = default;
  explicit Use(Entry& of) noexcept : of_(&of) { ++of.uses_; }
  Use(Use&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  Use& operator=(Use&& other) noexcept {
    std::swap(of_, other.of_);
    return *this;
  }
  ~Use() {
    if (of_ != nullptr) {
      --of_->uses_;
    }
  }
  [[nodiscard]] Entry& operator*() const noexcept { return *of_; }
  [[nodiscard]] Entry* operator->() const noexcept { return of_; }

 private:
  Entry* of_ = nullptr;
};

/// The right to one connection, and the connection. Its end returns both: an idle connection is
/// kept, another one is closed.
template <Poolable Connection, class More>
class Pool<Connection, More>::Lease {
 public:
  Lease() noexcept = default;
  Lease(Lease&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        entry_(other.entry_),
        of_entry_(std::move(other.of_entry_)),
        of_all_(std::move(other.of_all_)),
        connection_(std::move(other.connection_)),
        is_reused_(other.is_reused_) {}
  Lease& operator=(Lease&& other) noexcept {
    if (this == &other) {
      return *this;
    }
    give_back();
    pool_ = std::exchange(other.pool_, nullptr);
    entry_ = other.entry_;
    of_entry_ = std::move(other.of_entry_);
    of_all_ = std::move(other.of_all_);
    connection_ = std::move(other.connection_);
    is_reused_ = other.is_reused_;
    return *this;
  }
  ~Lease() { give_back(); }

  [[nodiscard]] bool is_held() const noexcept { return pool_ != nullptr; }
  /// Returns null if there is no connection.
  [[nodiscard]] Connection* get() const noexcept { return connection_.get(); }
  [[nodiscard]] Connection* operator->() const noexcept { return connection_.get(); }
  /// Returns whether the connection was used before: the peer may have closed it meanwhile.
  [[nodiscard]] bool is_reused() const noexcept { return is_reused_; }

  /// Takes the latest idle connection that `fits`, if there is one; closes those that are no longer
  /// idle.
  template <class Fits>
  bool take_idle(Fits fits);
  bool take_idle() {
    return take_idle([](const Connection&) { return true; });
  }
  /// Closes idle connections of any key to make room for a new one.
  void make_room() noexcept { pool_->make_room(); }
  /// Pre: is_held().
  void put(std::unique_ptr<Connection> connection) noexcept { connection_ = std::move(connection); }
  void give_back() noexcept {
    if (pool_ != nullptr) {
      end();
    }
  }

 private:
  friend class Pool;
  Lease(Pool& pool, Entry& entry, Semaphore::Permit of_entry, Semaphore::Permit of_all) noexcept
      : pool_(&pool), entry_(&entry), of_entry_(std::move(of_entry)), of_all_(std::move(of_all)) {
    ++entry.uses_;
  }
  void end() noexcept;

  Pool* pool_ = nullptr;  // null: no lease
  Entry* entry_ = nullptr;
  Semaphore::Permit of_entry_;
  Semaphore::Permit of_all_;
  std::unique_ptr<Connection> connection_;
  bool is_reused_ = false;
};

// Leases.

template <Poolable Connection, class More>
auto Pool<Connection, More>::try_lease(Entry& entry) -> Lease {
  auto of_entry = entry.permits_.try_acquire();
  // The order is the same everywhere, so that two tasks cannot wait for each other.
  if (!of_entry.is_held()) {
    return {};
  }
  auto of_all = permits_.try_acquire();
  return of_all.is_held() ? Lease(*this, entry, std::move(of_entry), std::move(of_all)) : Lease();
}

template <Poolable Connection, class More>
template <class Fits>
auto Pool<Connection, More>::try_idle(Entry& entry, Fits fits) -> Lease {
  Lease lease = entry.idle_.empty() ? Lease() : try_lease(entry);
  return lease.is_held() && lease.take_idle(fits) ? std::move(lease) : Lease();
}

template <Poolable Connection, class More>
auto Pool<Connection, More>::wait_for_lease(Entry& entry) -> Task<Lease> {
  // Keeps the entry while this waits.
  const Use use(entry);
  auto of_entry = co_await entry.permits_.acquire();
  auto of_all = co_await permits_.acquire();
  co_return Lease(*this, entry, std::move(of_entry), std::move(of_all));
}

template <Poolable Connection, class More>
auto Pool<Connection, More>::lease(Entry& entry, Instant due) -> Task<std::optional<Lease>> {
  Lease at_once = try_lease(entry);
  if (at_once.is_held()) {
    co_return std::move(at_once);
  }
  // Waiting tasks are served in order, so this one does not overtake them.
  co_return co_await with_deadline(wait_for_lease(entry), due - loop_.now());
}

template <Poolable Connection, class More>
template <class Fits>
bool Pool<Connection, More>::Lease::take_idle(Fits fits) {
  std::vector<Idle>& idle = entry_->idle_;
  const Instant before = pool_->loop_.now() - pool_->limits_.idle;
  for (std::size_t at = idle.size(); at-- != 0;) {
    Idle& one = idle[at];
    // Check it even if it was used a moment ago: the server may have closed it.
    const bool is_alive = one.connection->is_idle() && one.since > before;
    if (is_alive && !fits(*one.connection)) {
      continue;
    }
    std::unique_ptr<Connection> taken = std::move(one.connection);
    idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(at));
    if (is_alive) {
      connection_ = std::move(taken);
      is_reused_ = true;
      return true;
    }
    // Close it after the list was changed, because closing may call back.
    taken->close();
  }
  return false;
}

// Return the connection before the permit, so that a task that waited for the permit finds it idle.
template <Poolable Connection, class More>
void Pool<Connection, More>::Lease::end() noexcept {
  Pool& pool = *std::exchange(pool_, nullptr);
  if (connection_ != nullptr) {
    // Clean up before another task can find the connection.
    connection_->finish();
    if (connection_->is_idle()) {
      pool.keep(*entry_, std::move(connection_));
    } else {
      connection_->close();
      connection_.reset();
    }
  }
  // Release the permits last: the next owner then finds the connection in its place.
  of_all_.release();
  of_entry_.release();
  --entry_->uses_;
}

// Idle connections.

template <Poolable Connection, class More>
void Pool<Connection, More>::keep(Entry& entry, std::unique_ptr<Connection> connection) {
  entry.idle_.push_back({std::move(connection), loop_.now()});
  // One timer serves all keys: it expires when the oldest connection is due.
  if (!is_armed()) {
    loop_.arm(*this, loop_.now() + limits_.idle);
  }
}

template <Poolable Connection, class More>
std::size_t Pool<Connection, More>::idle_connections() const noexcept {
  std::size_t count = 0;
  for (const auto& [key, entry] : entries_) {
    count += entry.idle_.size();
  }
  return count;
}

template <Poolable Connection, class More>
void Pool<Connection, More>::make_room() noexcept {
  const std::size_t in_use = limits_.all_max - permits_.available();
  std::size_t idle = idle_connections();
  // Close the oldest of each key first, until the new one has room.
  for (auto at = entries_.begin(); at != entries_.end() && in_use + idle > limits_.all_max;) {
    std::vector<Idle>& of_key = at->second.idle_;
    if (of_key.empty()) {
      ++at;
      continue;
    }
    of_key.front().connection->close();
    of_key.erase(of_key.begin());
    --idle;
  }
}

template <Poolable Connection, class More>
void Pool<Connection, More>::close_old(Entry& entry, Instant before) noexcept {
  std::erase_if(entry.idle_, [before](Idle& one) {
    const bool is_old = !one.connection->is_idle() || one.since <= before;
    if (is_old) {
      one.connection->close();
    }
    return is_old;
  });
}

/// Also removes entries that never had an idle connection, because the timer is armed only for idle
/// ones.
template <Poolable Connection, class More>
void Pool<Connection, More>::forget_unused() noexcept {
  // An entry is erased only if nothing refers to it.
  std::erase_if(entries_,
                [](const auto& one) { return one.second.uses_ == 0 && one.second.idle_.empty(); });
  // Allow twice as many entries before the next search, so that its cost per new key is small.
  entries_max_ = std::max(kEntriesMin, 2 * entries_.size());
}

/// Closes connections that have been idle for too long, and removes unused entries.
template <Poolable Connection, class More>
void Pool<Connection, More>::expire() {
  Instant oldest = Instant::max();
  for (auto& [key, entry] : entries_) {
    close_old(entry, loop_.now() - limits_.idle);
    for (const Idle& one : entry.idle_) {
      oldest = std::min(oldest, one.since);
    }
  }
  forget_unused();
  if (oldest != Instant::max()) {
    loop_.arm(*this, oldest + limits_.idle);
  }
}

}  // namespace eider::net
