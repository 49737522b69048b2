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

/// A connection as a pool has it. Its destruction closes it.
///
/// finish   one use is over, and what that has left is done away with
/// is_idle  it may be used again: nothing is under way, and the other end has not gone
/// close    it is not used any more: the last word, if there is one
template <class C>
concept Poolable = requires(C& connection, const C& constant) {
  { connection.finish() } noexcept;
  { constant.is_idle() } noexcept -> std::convertible_to<bool>;
  { connection.close() } noexcept;
};

/// per_key_max  leases at once for one key, and all_max for all keys; others wait, first come first
///              served. All_max bounds idle connections along with those.
/// idle         after so long an unused connection is closed
struct PoolLimits {
  std::size_t per_key_max;
  std::size_t all_max;
  Duration idle;
};

struct NothingMore {};

/// More  what its user keeps of each key
template <Poolable Connection, class More = NothingMore>
class Pool final : private Timer {
  struct Idle {
    std::unique_ptr<Connection> connection;
    Instant since;
  };

 public:
  class Lease;
  class Use;

  /// What there is of one key, by which an end of connections is known. It stays where it is as
  /// long as there is a use of it, a lease, or an idle connection.
  class Entry {
   public:
    /// For Pool::entry.
    explicit Entry(std::size_t leases_max) noexcept : permits_(leases_max) {}

    /// One of its idle connections is so.
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
    std::vector<Idle> idle_;  // the latest last

   public:
    More more;  // goes first: what is leased in there goes back to the others
  };

  /// Pre: outlives its leases and the tasks that wait for one.
  Pool(Loop& loop, PoolLimits limits) noexcept
      : loop_(loop), limits_(limits), permits_(limits.all_max) {}

  [[nodiscard]] Entry& entry(const std::string& key) {
    if (entries_.size() >= entries_max_) {
      forget_unused();
    }
    return entries_.try_emplace(key, limits_.per_key_max).first->second;
  }
  /// Null when nothing is known of it.
  [[nodiscard]] Entry* find(const std::string& key) noexcept {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }

  /// A lease without a connection, if there is one at once and nobody waits for it.
  [[nodiscard]] Lease try_lease(Entry& entry);
  /// The same with the latest idle connection that `fits`, or no lease.
  template <class Fits>
  [[nodiscard]] Lease try_idle(Entry& entry, Fits fits);
  /// The same when its turn has come; nothing when that is not before `due`.
  ///
  /// entry  is kept by the task
  [[nodiscard]] Task<std::optional<Lease>> lease(Entry& entry, Instant due);

  /// So many leases could be had at once.
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
  std::size_t entries_max_ = kEntriesMin;  // before those that nobody uses are forgotten
};

/// Keeps an entry where it is.
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

/// The right to one connection, and the connection. Its end gives both back: a connection that is
/// idle then is kept, another one closed.
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
  /// Null as long as there is none.
  [[nodiscard]] Connection* get() const noexcept { return connection_.get(); }
  [[nodiscard]] Connection* operator->() const noexcept { return connection_.get(); }
  /// It has been kept: the other end may have closed it meanwhile.
  [[nodiscard]] bool is_reused() const noexcept { return is_reused_; }

  /// The latest idle connection that `fits`, if there is one; those that are not idle any more go.
  template <class Fits>
  bool take_idle(Fits fits);
  bool take_idle() {
    return take_idle([](const Connection&) { return true; });
  }
  /// Idle ones of any key give way to one that is to be made.
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

  Pool* pool_ = nullptr;  // null: nothing is held
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
  // The order is the same wherever both are taken: two tasks cannot wait for each other.
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
  // The entry must not go while this waits.
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
  // Those who wait are served in order, so this one does not pass them.
  co_return co_await with_deadline(wait_for_lease(entry), due - loop_.now());
}

template <Poolable Connection, class More>
template <class Fits>
bool Pool<Connection, More>::Lease::take_idle(Fits fits) {
  std::vector<Idle>& idle = entry_->idle_;
  const Instant before = pool_->loop_.now() - pool_->limits_.idle;
  for (std::size_t at = idle.size(); at-- != 0;) {
    Idle& one = idle[at];
    // It is asked even for one that was kept a moment ago: the server may have closed it.
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
    // It is closed behind the list's change: closing may call back.
    taken->close();
  }
  return false;
}

// The connection goes back ahead of the right to it: a task that has waited for that finds it idle.
template <Poolable Connection, class More>
void Pool<Connection, More>::Lease::end() noexcept {
  Pool& pool = *std::exchange(pool_, nullptr);
  if (connection_ != nullptr) {
    // What the last use has left goes before anybody else may find it.
    connection_->finish();
    if (connection_->is_idle()) {
      pool.keep(*entry_, std::move(connection_));
    } else {
      connection_->close();
      connection_.reset();
    }
  }
  // The permits go last: whoever gets them finds the connection in its place.
  of_all_.release();
  of_entry_.release();
  --entry_->uses_;
}

// Idle connections.

template <Poolable Connection, class More>
void Pool<Connection, More>::keep(Entry& entry, std::unique_ptr<Connection> connection) {
  entry.idle_.push_back({std::move(connection), loop_.now()});
  // The timer serves all keys: it looks at each when the oldest is due.
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
  // The oldest of each key goes first, until the new one has room.
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

/// Entries of keys that never had an idle connection go, too: the timer is armed for those alone.
template <Poolable Connection, class More>
void Pool<Connection, More>::forget_unused() noexcept {
  // An entry is erased only when nothing refers to it.
  std::erase_if(entries_,
                [](const auto& one) { return one.second.uses_ == 0 && one.second.idle_.empty(); });
  // Twice as many may come before the next look, so that a look costs each new key little.
  entries_max_ = std::max(kEntriesMin, 2 * entries_.size());
}

/// Some may have been idle for too long: they go, and entries that nobody uses.
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
