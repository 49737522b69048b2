// Values that are costly to make, kept for a while and made once however many ask.
// Must not be where something is kept that cannot be made again.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/json/json.h"
#include "eider/data/cache/cache_store.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

namespace detail::cache {

/// errors  Failure(500), thrown
[[noreturn]] void refuse_unreadable(std::string_view key);

}  // namespace detail::cache

struct CacheOptions {
  Duration fresh_for = std::chrono::minutes(1);
  /// Behind that: how long a value is given while a new one is made, for which nobody waits. Where
  /// none can be made it is given until this is over.
  Duration stale_for = Duration::zero();
  /// How long making one may take; then it is destroyed where it waits.
  Duration made_within = std::chrono::seconds(30);
};

/// fresh, stale  values that were given as they were kept
/// made, failed  how often one was made, or could not be
struct CacheCounts {
  std::uint64_t fresh = 0;
  std::uint64_t stale = 0;
  std::uint64_t made = 0;
  std::uint64_t failed = 0;
};

/// From any loop; it may be copied, and all copies are one.
///
///     Cache cache(memory_cache(), {.fresh_for = 10s, .stale_for = 1min});
///     …
///     const Prices prices = co_await cache.get<Prices>("prices", [db] { return prices_of(db); });
///
/// Of all in the process that ask for what is not kept one makes it and the others wait, on
/// whatever loop; where that one fails all do, and where it is cancelled another goes on.
class Cache {
 public:
  using Make = std::function<Task<std::string>()>;

  explicit Cache(std::shared_ptr<CacheStore> store, CacheOptions options = {});

  /// make    holds by value what it is made of: it may go on when the caller has left
  /// errors  what `make` throws, and Failure(503) where it takes longer than `made_within`
  [[nodiscard]] Task<CachedBytes> get_bytes(std::string key, Make make) const;

  /// The same of a T, kept as JSON. One that is kept and is no T, as of another release, is made
  /// anew.
  ///
  /// make    a function that returns a Task<T>
  /// errors  those of get_bytes, and Failure(500) where a value that was made does not read back,
  ///         as a NaN, which JSON does not have
  template <class T, std::invocable F>
  [[nodiscard]] Task<T> get(std::string key, F make) const {
    Make make_text = [key,
                      make = detail::runtime::InFrame<F>(std::move(make))]() -> Task<std::string> {
      auto made = make;  // the function may be gone before the task, and the key with it
      const std::string name = key;  // NOLINT(performance-unnecessary-copy-initialization)
      const T value = co_await made.function();
      std::string text = json::to_text(value);
      if (!json::read<T>(text)) {
        detail::cache::refuse_unreadable(name);
      }
      co_return text;
    };
    return get_made<T>(std::move(key), std::move(make_text));
  }

  /// What is asked for from now on is made anew, and what is being made is not kept by this
  /// process. Another one may be making it of what was before, and keep that for `fresh_for`.
  ///
  /// errors  those of the store, thrown: the old value may be there still
  [[nodiscard]] Task<> erase(std::string key) const;

  [[nodiscard]] CacheCounts counts() const;

 private:
  class State;

  template <class T>
  [[nodiscard]] Task<T> get_made(std::string key, Make make_text) const {
    CachedBytes text = co_await get_bytes(key, make_text);
    auto value = json::read<T>(*text);
    if (!value) {
      co_await erase(key);
      text = co_await get_bytes(std::move(key), std::move(make_text));
      value = json::read<T>(*text);
      if (!value) {  // which another release has put there meanwhile
        detail::cache::refuse_unreadable("");
      }
    }
    co_return std::move(*value);
  }

  std::shared_ptr<State> state_;
};

}  // namespace eider
