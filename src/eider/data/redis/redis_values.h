// Values of a Cache in Redis, which the processes of an application share.
// Must not hold up a request while Redis is away: values are then made.
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
  /// Of all keys, each of which goes by itself when its time is over.
  std::string prefix = "eider:values:";
  /// A larger one is not kept.
  std::size_t value_bytes_max = std::size_t{1} << 20U;
  /// How long is waited for Redis to find or to keep one.
  Duration time_max = std::chrono::milliseconds(100);
  /// Behind a failure: how long nobody asks.
  Duration pause = std::chrono::seconds(1);
  /// What each loop keeps of them itself until Redis says that they have changed, as a RedisCache;
  /// nothing unless said, and not of a cluster.
  std::optional<RedisCacheOptions> kept_near{};
};

/// For a Cache. How many there are is Redis' matter: `maxmemory` with `allkeys-lru`. An `erase`
/// takes up to the time of a command, and throws RedisFailure where Redis is away.
///
/// errors  RedisFailure(open), thrown: `kept_near` of a cluster
[[nodiscard]] std::shared_ptr<CacheStore> redis_values(const Redis& redis,
                                                       RedisValues options = {});

}  // namespace eider
