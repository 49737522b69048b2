// How often clients ask, counted in Redis by all processes of an application.
// Must not hold up a request while Redis is away: processes then count for themselves.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "eider/data/redis/redis.h"
#include "eider/web/middleware/rate_store.h"

namespace eider {

struct RedisRates {
  /// Of all keys, each of which goes by itself when it says nothing any more.
  std::string prefix = "eider:rates:";
  /// How long a request waits for Redis; then its process counts for itself.
  Duration time_max = std::chrono::milliseconds(100);
  /// Behind a failure, save an answer of Redis: how long nobody asks, so that only some wait.
  Duration pause = std::chrono::seconds(1);
};

/// For rate_limit. One script counts, by the clock of Redis, so that those of the processes need
/// not agree.
[[nodiscard]] std::shared_ptr<RateStore> redis_rates(const Redis& redis, RedisRates options = {});

}  // namespace eider
