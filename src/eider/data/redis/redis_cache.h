// Values of Redis that are kept in this process until Redis says that they have changed.
// Must not answer from what is kept while the connection that would say so is away.
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
  /// What is kept at most; what was not asked for the longest goes first.
  std::size_t keys_max = 10'000;
  /// Of keys and values.
  std::size_t bytes_max = std::size_t{16} * 1024 * 1024;
  /// How long a value is kept at most. Redis tells nothing of SWAPDB.
  Duration keep_max = std::chrono::minutes(10);
  /// How long the server may say nothing before it is asked whether it is there. A value may be old
  /// by that and the time of a command where the network fails without a word.
  Duration silence_max = std::chrono::seconds(5);
};

/// bytes  null where there is no such key
/// left   until it goes by itself, if it does
struct RedisFound {
  std::shared_ptr<const std::string> bytes;
  std::optional<Duration> left;
};

/// Of keys that were asked for.
struct RedisCacheCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  /// Values that Redis has said were changed.
  std::uint64_t invalidated = 0;
};

/// Strings by their keys (GET), on a connection of its own that Redis tells what has changed
/// (CLIENT TRACKING). On the loop that made it: one for each loop is a LoopLocal<RedisCache>.
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

  /// What is kept, or else what Redis says; nothing where there is no such key.
  ///
  /// errors  RedisFailure, thrown
  [[nodiscard]] Task<std::optional<std::string>> get(std::string key);

  /// The same without a copy of it, and with how long it has.
  [[nodiscard]] Task<RedisFound> find(std::string key);
  /// It is asked for anew, also where Redis has not told of a change yet.
  void forget(std::string_view key) noexcept;

  [[nodiscard]] const RedisCacheCounts& counts() const noexcept;
  /// Keys that are kept.
  [[nodiscard]] std::size_t size() const noexcept;

 private:
  class Store;
  std::unique_ptr<Store> store_;
  Duration time_;
};

}  // namespace eider
