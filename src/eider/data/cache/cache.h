// A cache for expensive values, with one computation for concurrent requests.
// Layering: must not store data that cannot be computed again.
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
  Duration ttl = std::chrono::minutes(1);
  /// Time after `ttl` during which the old value is returned while a new one is computed in
  /// the background. If that fails, the old value is returned until this time is over.
  Duration stale_while_revalidate = Duration::zero();
  /// Time limit of one computation, which is canceled then.
  Duration load_timeout = std::chrono::seconds(30);
};

/// fresh, stale    stored values that were returned
/// loaded, failed  successful and failed computations
struct CacheCounts {
  std::uint64_t fresh = 0;
  std::uint64_t stale = 0;
  std::uint64_t loaded = 0;
  std::uint64_t failed = 0;
};

/// A cache for expensive values. Usable from any event loop; copies share their data.
///
///     Cache cache(memory_cache(), {.ttl = 10s, .stale_while_revalidate = 1min});
///     …
///     const Prices prices = co_await cache.get<Prices>("prices", [db] { return prices_of(db); });
///
/// If several callers in the process request a missing value, one computes it and the others wait,
/// on any event loop. If the computation fails, all of them fail; if it is canceled, another caller
/// continues.
class Cache {
 public:
  using Make = std::function<Task<std::string>()>;

  explicit Cache(std::shared_ptr<CacheStore> store, CacheOptions options = {});

  /// make    captures by value, because it may run after the caller has stopped waiting
  /// errors  exceptions of `make`, and Failure(503) if it takes longer than `load_timeout`
  [[nodiscard]] Task<CachedBytes> get_bytes(std::string key, Make make) const;

  /// As above for a T, stored as JSON. A stored value that is not a valid T, for example of another
  /// release, is computed again.
  ///
  /// make    a function that returns a Task<T>
  /// errors  those of get_bytes, and Failure(500) if a computed value cannot be read back, such as
  ///         a NaN, which JSON does not support
  template <class T, std::invocable F>
  [[nodiscard]] Task<T> get(std::string key, F make) const {
    Make make_text = [key,
                      make = detail::runtime::InFrame<F>(std::move(make))]() -> Task<std::string> {
      auto made = make;  // the function may be destroyed before the task, and the key with it
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

  /// Removes a value: later requests compute it again, and a running computation is not stored by
  /// this process. Another process may be computing it from old data, and store that for
  /// `ttl`.
  ///
  /// errors  those of the store, thrown: the old value may still exist
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
      if (!value) {  // another release has stored it meanwhile
        detail::cache::refuse_unreadable("");
      }
    }
    co_return std::move(*value);
  }

  std::shared_ptr<State> state_;
};

}  // namespace eider
