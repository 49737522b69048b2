// A cache store in Redis, shared by the processes of an application.
// Layering: must not delay a request while Redis is down; values are computed then.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "eider/data/cache/cache_store.h"
#include "eider/data/redis/redis.h"
#include "eider/data/redis/redis_cache.h"

namespace eider {

struct RedisValues {
  /// Prefix of all keys; each key expires automatically.
  std::string prefix = "eider:values:";
  /// Larger values are not stored.
  std::size_t value_bytes_max = std::size_t{1} << 20U;
  /// Time limit for a read or write.
  Duration time_max = std::chrono::milliseconds(100);
  /// Pause after a failure during which Redis is not used.
  Duration pause = std::chrono::seconds(1);
  /// Options of a cache in each event loop with invalidation by Redis, as a RedisCache. Default:
  /// none. Not supported for a cluster.
  std::optional<RedisCacheOptions> near_cache{};
};

/// A store for a Cache. Limit its size in Redis: `maxmemory` with `allkeys-lru`. `erase` may take
/// the time limit of a command, and throws RedisFailure if Redis is down.
///
/// errors  RedisFailure(open), thrown: `near_cache` with a cluster
[[nodiscard]] std::shared_ptr<CacheStore> redis_values(const Redis& redis,
                                                       RedisValues options = {});

}  // namespace eider
