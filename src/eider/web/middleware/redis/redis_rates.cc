#include "eider/web/middleware/redis/redis_rates.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "eider/data/redis/pause.h"

namespace eider {

namespace {

// The same algorithms as in RateTable, in microseconds. ARGV: requests, per.

/// A bucket is the time when it is full again, and each token postpones it.
const redis::Script& token_bucket() {
  static const redis::Script script(R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local per = tonumber(ARGV[2])
local token = math.max(math.floor(per / ARGV[1]), 1)
local full_at = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + token
local room = per - (full_at - now)
if room < 0 then return {0, 0, -room} end
redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX',
           math.floor((full_at - now) / 1000) + 1)
local remaining = math.floor(room / token)
return {1, remaining, remaining > 0 and 0 or token - room}
)lua");
  return script;
}

/// Stores the start of the current window, and the counts of this and of the previous window.
const redis::Script& sliding_window() {
  static const redis::Script script(R"lua(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local requests, per = tonumber(ARGV[1]), tonumber(ARGV[2])
local kept = redis.call('HMGET', KEYS[1], 'at', 'count', 'before')
local at, count, before = tonumber(kept[1] or now), tonumber(kept[2] or 0), tonumber(kept[3] or 0)
local windows = math.floor((now - at) / per)
if windows > 0 then
  before = windows == 1 and count or 0
  count = 0
  at = at + per * windows
end
local counted = count + before * (1 - (now - at) / per)
local token = math.max(math.floor(per / requests), 1)
if counted + 1 > requests then
  local rest = per - (now - at)
  if before > 0 and count < requests then
    return {0, 0, math.min(rest, math.ceil(per / before))}
  end
  return {0, 0, rest + token}
end
redis.call('HSET', KEYS[1], 'at', string.format('%.0f', at), 'count', count + 1, 'before', before)
redis.call('PEXPIRE', KEYS[1], math.floor((at + 2 * per - now) / 1000) + 1)
local remaining = math.floor(requests - counted - 1)
return {1, remaining, remaining > 0 and 0 or token}
)lua");
  return script;
}

class RedisRateStore final : public RateStore {
 public:
  RedisRateStore(const Redis& redis, RedisRates options)
      : redis_(redis.within(options.time_max)),
        prefix_(std::move(options.prefix)),
        pause_(options.pause) {}

  [[nodiscard]] Task<std::optional<RateDecision>> take(std::string key, RateTerms terms) override {
    if (pause_.is_on()) {
      co_return std::nullopt;
    }
    const auto per_us = std::chrono::ceil<std::chrono::microseconds>(terms.per).count();
    std::vector<std::string> keys;
    keys.push_back(prefix_ + key);
    try {
      using Counted = std::array<std::int64_t, 3>;
      const auto [is_admitted, remaining, wait_us] = co_await redis_.run<Counted>(
          terms.algorithm == RateAlgorithm::token_bucket ? token_bucket() : sliding_window(),
          std::move(keys), terms.requests, per_us);
      co_return RateDecision{.is_admitted = is_admitted != 0,
                             .remaining = static_cast<std::uint32_t>(remaining),
                             .wait = std::chrono::microseconds(wait_us)};
    } catch (const RedisFailure& failure) {
      // An error of one key, such as a wrong type, does not concern other keys.
      if (failure.fault() != RedisFault::refused) {
        pause_.begin();
      }
    }
    co_return std::nullopt;
  }

 private:
  const Redis redis_;
  const std::string prefix_;
  detail::redis::Pause pause_;
};

}  // namespace

std::shared_ptr<RateStore> redis_rates(const Redis& redis, RedisRates options) {
  return std::make_shared<RedisRateStore>(redis, std::move(options));
}

}  // namespace eider
