#include "eider/data/redis/redis_values.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "eider/data/redis/pause.h"
#include "eider/io/runtime/loop_local.h"

namespace eider {

namespace {

class RedisValueStore final : public CacheStore {
 public:
  RedisValueStore(const Redis& redis, RedisValues options)
      : redis_(redis),
        at_once_(redis.within(options.time_max)),
        options_(std::move(options)),
        pause_(options_.pause) {
    if (options_.near_cache) {
      RedisCache::require_one_server(redis);
      near_.emplace([at_once = at_once_, kept = *options_.near_cache] {
        return std::make_unique<RedisCache>(at_once, kept);
      });
    }
  }

  [[nodiscard]] Task<std::optional<CachedValue>> find(std::string key) override {
    if (pause_.is_on()) {
      co_return std::nullopt;
    }
    const std::string name = options_.prefix + key;
    try {
      if (near_) {
        co_return co_await find_near(name);
      }
      auto [bytes, left_ms] =
          co_await at_once_.pipeline(redis::word<std::optional<std::string>>("GET", name),
                                     redis::word<std::int64_t>("PTTL", name));
      if (bytes) {
        co_return CachedValue{.bytes = std::make_shared<const std::string>(std::move(*bytes)),
                              .ttl = std::chrono::milliseconds(std::max<std::int64_t>(left_ms, 0))};
      }
    } catch (const RedisFailure&) {
      pause_.begin();
    }
    co_return std::nullopt;
  }

  [[nodiscard]] Task<> put(std::string key, CachedBytes bytes, Duration keep) override {
    const auto keep_ms = std::chrono::ceil<std::chrono::milliseconds>(keep).count();
    if (pause_.is_on() || bytes->size() > options_.value_bytes_max || keep_ms <= 0) {
      co_return;
    }
    try {
      co_await at_once_.command("SET", options_.prefix + key, *bytes, "PX", keep_ms);
      forget_near(key);
    } catch (const RedisFailure&) {
      pause_.begin();
    }
  }

  [[nodiscard]] Task<> erase(std::string key) override {
    co_await redis_.command("DEL", options_.prefix + key);
    forget_near(key);
  }

 private:
  Task<std::optional<CachedValue>> find_near(std::string name) {
    const RedisFound found = co_await near_->here().find(name);
    if (found.bytes == nullptr) {
      // Otherwise the task that computes the value might not see it at once.
      near_->here().forget(name);
      co_return std::nullopt;
    }
    co_return CachedValue{.bytes = found.bytes, .ttl = found.ttl.value_or(Duration::zero())};
  }
  /// Changes of this loop are visible to it at once; other loops get a message.
  void forget_near(const std::string& key) {
    if (near_) {
      near_->here().forget(options_.prefix + key);
    }
  }

  const Redis redis_;
  const Redis at_once_;
  const RedisValues options_;
  detail::redis::Pause pause_;
  std::optional<LoopLocal<RedisCache>> near_;
};

}  // namespace

std::shared_ptr<CacheStore> redis_values(const Redis& redis, RedisValues options) {
  return std::make_shared<RedisValueStore>(redis, std::move(options));
}

}  // namespace eider
