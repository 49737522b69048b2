// Request counters in Redis, shared by all processes of an application.
// Layering: must not delay a request while Redis is down; each process counts separately then.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "eider/data/redis/redis.h"
#include "eider/web/middleware/rate_store.h"

namespace eider {

struct RedisRates {
  /// Prefix of all keys; each key expires automatically.
  std::string prefix = "eider:rates:";
  /// Time limit for Redis; then the process counts for itself.
  Duration time_max = std::chrono::milliseconds(100);
  /// Pause after a failure (except an error response of Redis) during which Redis is not used, so
  /// that only few requests wait.
  Duration pause = std::chrono::seconds(1);
};

/// Returns a store for rate_limit. A script counts by the clock of Redis, so the clocks of the
/// processes can differ.
[[nodiscard]] std::shared_ptr<RateStore> redis_rates(const Redis& redis, RedisRates options = {});

}  // namespace eider
