#include "eider/data/cache/cache.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"

namespace eider {

namespace {

/// Longer times would overflow the clock.
constexpr Duration kLongest = std::chrono::hours(24 * 365);

/// A caller that waits for another caller's computation.
struct Waiter {
  Loop* loop = nullptr;
  AsyncEvent is_over;
};

/// One running computation. Use it with the state's lock held.
struct Flight {
  std::vector<std::shared_ptr<Waiter>> waiting;
  bool is_over = false;
  bool is_forgotten = false;
  CachedBytes value;
  std::exception_ptr failure;  // if there is no value either, the computation was canceled
};

}  // namespace

class Cache::State {
 public:
  State(std::shared_ptr<CacheStore> store, const CacheOptions& options)
      : store_(std::move(store)),
        ttl_(std::min(options.ttl, kLongest)),
        stale_while_revalidate_(std::min(options.stale_while_revalidate, kLongest)),
        load_timeout_(std::min(options.load_timeout, kLongest)),
        refreshing_([] { return std::make_unique<Scope>(); }) {}

  /// Each of these holds `state`, because tasks may outlive the cache.
  using Self = std::shared_ptr<State>;
  static Task<CachedBytes> get(Self state, std::string key, Make make);
  static Task<> erase(Self state, std::string key);

  [[nodiscard]] CacheCounts counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  class Leading;
  class Waiting;
  struct Joined {
    std::shared_ptr<Flight> flight;
    bool is_leader;
  };
  /// is_found  another caller had computed it, and it is already stored
  struct Made {
    CachedBytes value;
    bool is_found = false;
  };

  static Task<CachedBytes> make_or_wait(Self state, std::string key, Make make);
  static Task<CachedBytes> lead(Self state, std::string key, Make make,
                                std::shared_ptr<Flight> flight);
  static Task<> refresh(Self state, std::string key, Make make, std::shared_ptr<Flight> flight);
  static Task<> keep(std::unique_ptr<Leading> leading, CachedBytes value,
                     std::shared_ptr<AsyncEvent> is_kept);
  [[nodiscard]] Task<Made> make_anew(std::string key, Make make) const;
  [[nodiscard]] Joined join(const std::string& key);
  void land(Flight& flight, const Made& made, std::exception_ptr failure);
  [[nodiscard]] bool is_forgotten(const Flight& flight) const {
    const std::lock_guard lock(mutex_);
    return flight.is_forgotten;
  }
  void count(std::uint64_t CacheCounts::* which) {
    const std::lock_guard lock(mutex_);
    ++(counts_.*which);
  }
  static void wake_all(Flight& flight);

  const std::shared_ptr<CacheStore> store_;
  const Duration ttl_;
  const Duration stale_while_revalidate_;
  const Duration load_timeout_;
  const LoopLocal<Scope> refreshing_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Flight>> flights_;
  CacheCounts counts_;
};

/// The right to compute a value. At the end of its lifetime, the waiting callers continue.
class Cache::State::Leading {
 public:
  Leading(Self state, std::string key, std::shared_ptr<Flight> flight)
      : state_(std::move(state)), key_(std::move(key)), flight_(std::move(flight)) {}
  Leading(const Leading&) = delete;
  Leading& operator=(const Leading&) = delete;
  ~Leading() {
    const std::lock_guard lock(state_->mutex_);
    const auto found = state_->flights_.find(key_);
    if (found != state_->flights_.end() && found->second == flight_) {
      state_->flights_.erase(found);
    }
    wake_all(*flight_);
  }
  [[nodiscard]] State& state() const noexcept { return *state_; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] bool is_forgotten() const { return state_->is_forgotten(*flight_); }

 private:
  const Self state_;
  const std::string key_;
  const std::shared_ptr<Flight> flight_;
};

/// In the flight's list during the lifetime of its coroutine, in which its loop exists, too.
class Cache::State::Waiting {
 public:
  Waiting(State& state, Flight& flight)
      : state_(state), flight_(flight), waiter_(std::make_shared<Waiter>()) {
    waiter_->loop = &Loop::current();
    const std::lock_guard lock(state_.mutex_);
    if (flight_.is_over) {
      waiter_->is_over.set();
    } else {
      flight_.waiting.push_back(waiter_);
    }
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    const std::lock_guard lock(state_.mutex_);
    std::erase(flight_.waiting, waiter_);
  }
  [[nodiscard]] AsyncEvent::Awaiter wait() noexcept { return waiter_->is_over.wait(); }

 private:
  State& state_;
  Flight& flight_;
  std::shared_ptr<Waiter> waiter_;
};

/// Pre: the lock is held, so that no waiter and no loop ends meanwhile.
void Cache::State::wake_all(Flight& flight) {
  flight.is_over = true;
  for (const std::shared_ptr<Waiter>& waiter : flight.waiting) {
    waiter->loop->post([waiter] { waiter->is_over.set(); });
  }
  flight.waiting.clear();
}

Cache::State::Joined Cache::State::join(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] = flights_.try_emplace(key);
  if (is_new) {
    entry->second = std::make_shared<Flight>();
  }
  return {entry->second, is_new};
}

void Cache::State::land(Flight& flight, const Made& made, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!made.is_found) {
    ++(failure ? counts_.failed : counts_.loaded);
  }
  flight.value = made.value;
  flight.failure = std::move(failure);
  wake_all(flight);
}

Task<Cache::State::Made> Cache::State::make_anew(std::string key, Make make) const {
  // Another caller may have computed it before this one got its turn.
  const auto found = co_await store_->find(std::move(key));
  if (found && found->ttl > stale_while_revalidate_) {
    co_return Made{.value = found->bytes, .is_found = true};
  }
  std::optional<std::string> made = co_await with_deadline(make(), load_timeout_);
  if (!made) {
    throw Failure(Error::unavailable("The request timed out. Try again."));
  }
  co_return Made{.value = std::make_shared<const std::string>(std::move(*made))};
}

/// Waiting callers continue before the value is stored, because the store may be slow.
Task<CachedBytes> Cache::State::lead(Self state, std::string key, Make make,
                                     std::shared_ptr<Flight> flight) {
  auto leading = std::make_unique<Leading>(state, key, flight);
  Made made;
  std::exception_ptr failure;
  try {
    made = co_await state->make_anew(key, std::move(make));
  } catch (...) {
    failure = std::current_exception();
  }
  state->land(*flight, made, failure);
  if (failure) {
    std::rethrow_exception(failure);
  }
  // A value that was found already has its lifetime: storing it again would extend that.
  if (!made.is_found) {
    const auto is_kept = std::make_shared<AsyncEvent>();
    state->refreshing_.here().start(keep(std::move(leading), made.value, is_kept));
    co_await is_kept->wait();
  }
  co_return std::move(made.value);
}

/// Runs on the loop, not in the caller's task: if that were canceled in between, a value that was
/// erased meanwhile would stay in the store.
Task<> Cache::State::keep(std::unique_ptr<Leading> leading, CachedBytes value,
                          std::shared_ptr<AsyncEvent> is_kept) {
  State& state = leading->state();
  try {
    if (!leading->is_forgotten()) {
      co_await state.store_->put(leading->key(), std::move(value),
                                 state.ttl_ + state.stale_while_revalidate_);
    }
    // It was erased on another loop meanwhile, possibly before this `put` in the store.
    if (leading->is_forgotten()) {
      co_await state.store_->erase(leading->key());
    }
  } catch (const std::exception&) {
    // The store may be unavailable: its old value is returned until it expires.
  }
  is_kept->set();
}

Task<> Cache::State::refresh(Self state, std::string key, Make make,
                             std::shared_ptr<Flight> flight) {
  try {
    (void)co_await lead(std::move(state), std::move(key), std::move(make), std::move(flight));
  } catch (const std::exception&) {
    // The failure is counted, and the old value is returned until it expires.
  }
}

Task<CachedBytes> Cache::State::make_or_wait(Self state, std::string key, Make make) {
  while (true) {
    const auto [flight, is_leader] = state->join(key);
    if (is_leader) {
      co_return co_await lead(state, std::move(key), std::move(make), flight);
    }
    Waiting waiting(*state, *flight);
    co_await waiting.wait();
    CachedBytes value;
    std::exception_ptr failure;
    {
      const std::lock_guard lock(state->mutex_);
      value = flight->value;
      failure = flight->failure;
    }
    if (failure) {
      std::rethrow_exception(failure);
    }
    if (value != nullptr) {
      co_return value;
    }
  }
}

Task<CachedBytes> Cache::State::get(Self state, std::string key, Make make) {
  const auto found = co_await state->store_->find(key);
  if (!found) {
    co_return co_await make_or_wait(std::move(state), std::move(key), std::move(make));
  }
  const bool is_fresh = found->ttl > state->stale_while_revalidate_;
  state->count(is_fresh ? &CacheCounts::fresh : &CacheCounts::stale);
  if (!is_fresh) {
    const auto [flight, is_leader] = state->join(key);
    if (is_leader) {
      state->refreshing_.here().start(refresh(state, std::move(key), std::move(make), flight));
    }
  }
  co_return found->bytes;
}

Task<> Cache::State::erase(Self state, std::string key) {
  {
    const std::lock_guard lock(state->mutex_);
    if (const auto found = state->flights_.find(key); found != state->flights_.end()) {
      found->second->is_forgotten = true;
      state->flights_.erase(found);
    }
  }
  co_await state->store_->erase(std::move(key));
}

void detail::cache::refuse_unreadable(std::string_view key) {
  std::string cause = "a cached value cannot be read back as its own type";
  if (!key.empty()) {
    cause.append(": ").append(key);
  }
  throw Failure(Error::internal(std::move(cause)));
}

Cache::Cache(std::shared_ptr<CacheStore> store, CacheOptions options)
    : state_(std::make_shared<State>(std::move(store), options)) {}

Task<CachedBytes> Cache::get_bytes(std::string key, Make make) const {
  return State::get(state_, std::move(key), std::move(make));
}

Task<> Cache::erase(std::string key) const {
  return State::erase(state_, std::move(key));
}

CacheCounts Cache::counts() const {
  return state_->counts();
}

}  // namespace eider
