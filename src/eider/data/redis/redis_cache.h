// A client-side cache of Redis values with invalidation by Redis.
// Layering: must not return cached values while the invalidation connection is down.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/data/redis/redis.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

struct RedisCacheOptions {
  /// Maximum number of values; the least recently used ones are removed first.
  std::size_t keys_max = 10'000;
  /// Maximum size of keys and values.
  std::size_t bytes_max = std::size_t{16} * 1024 * 1024;
  /// Maximum lifetime of a value; needed because Redis does not report SWAPDB.
  Duration ttl_max = std::chrono::minutes(10);
  /// Idle time after which the connection is checked. If the network fails silently, a value may be
  /// outdated by this and the time limit of a command.
  Duration ping_after = std::chrono::seconds(5);
};

/// bytes  null if the key does not exist
/// ttl    remaining lifetime, if it expires
struct RedisFound {
  std::shared_ptr<const std::string> bytes;
  std::optional<Duration> ttl;
};

/// Counters of requested keys.
struct RedisCacheCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  /// Values that Redis has reported as changed.
  std::uint64_t invalidated = 0;
};

/// Caches strings (GET) on a connection on which Redis reports changes (CLIENT TRACKING). It stays
/// on its event loop: use LoopLocal<RedisCache> for one per event loop.
///
///     const std::optional<std::string> settings = co_await cache.get("settings");
class RedisCache {
 public:
  /// errors  RedisFailure(open), thrown: a cluster
  explicit RedisCache(const Redis& redis, const RedisCacheOptions& options = {});
  ~RedisCache();
  /// errors  RedisFailure(open), thrown: a cluster
  static void require_one_server(const Redis& redis);
  RedisCache(const RedisCache&) = delete;
  RedisCache& operator=(const RedisCache&) = delete;

  /// Returns the cached value, otherwise the value in Redis; nothing if the key does not exist.
  ///
  /// errors  RedisFailure, thrown
  [[nodiscard]] Task<std::optional<std::string>> get(std::string key);

  /// Like `get`, but without a copy of the value, and with its remaining lifetime.
  [[nodiscard]] Task<RedisFound> find(std::string key);
  /// Removes a value, even if Redis has not reported a change yet.
  void forget(std::string_view key) noexcept;

  [[nodiscard]] const RedisCacheCounts& counts() const noexcept;
  /// Number of cached keys.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  class Store;
  std::unique_ptr<Store> store_;
  Duration time_;
};

}  // namespace eider
