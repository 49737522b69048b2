#include "eider/data/redis/redis_cache.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "eider/core/base/lru_map.h"
#include "eider/data/redis/keep_asking.h"
#include "eider/data/redis/state.h"
#include "eider/io/runtime/loop.h"

namespace eider {
namespace {

using redis::detail::Link;
using redis::detail::LinkOwner;
using redis::detail::RespCursor;
using redis::detail::RespItem;
using redis::detail::RespKind;
using redis::detail::Settings;

using Text = std::optional<std::string>;
/// A year: longer times would overflow the clock.
constexpr std::int64_t kLeftMsMax = std::int64_t{365} * 24 * 3600 * 1000;

using Bytes = std::shared_ptr<const std::string>;

}  // namespace

class RedisCache::Store final : private LinkOwner {
 public:
  Store(std::shared_ptr<net::Net> net, const std::shared_ptr<const Settings>& settings,
        const RedisCacheOptions& options);
  ~Store();

  /// Returns nothing if it is not cached; otherwise marks it as most recently used.
  [[nodiscard]] std::optional<RedisFound> find(const std::string& key);
  [[nodiscard]] Task<RedisFound> ask(std::string key, Duration time);
  /// returns  whether it was cached
  bool drop(std::string_view key);

  [[nodiscard]] RedisCacheCounts& counts() noexcept { return counts_; }
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

 private:
  class Get;
  class Tracking;
  struct Entry {
    std::string key;
    Bytes value;
    Instant until = Instant::min();  // until its expiry on the server is known, it is not used
    std::optional<Instant> gone{};   // its expiry on the server

    [[nodiscard]] std::size_t bytes() const noexcept {
      return key.size() + (value ? value->size() : 0);
    }
  };

  void on_connected() override;
  void on_push(RespCursor push) override;
  void on_lost() override { forget_all(); }

  void keep(std::string_view key, const Bytes& value);
  void keep_until(std::string_view key, std::int64_t left_ms);
  void forget(std::string_view key);
  void forget_all() noexcept;

  RedisCacheOptions options_;
  RedisCacheCounts counts_;
  LruMap<Entry, &Entry::key> entries_;
  std::size_t bytes_ = 0;
  bool is_tracking_ = false;
  std::unique_ptr<Tracking> tracking_;
  std::shared_ptr<net::Net> net_;
  Link link_;  // destroyed before the members that it calls
  redis::detail::KeepAsking asking_;
};

/// Stores the value when its response arrives. A push after it in the same read may report a
/// change, and is handled before the coroutine continues.
class RedisCache::Store::Get final : public redis::detail::Call {
 public:
  Get(Store& store, Duration time, std::string_view key)
      : Call(store.link_, "GET", time), store_(store), key_(key) {
    if (Buffer* const out = begin()) {
      redis::detail::append_command(*out, "GET", key);
      redis::detail::append_command(*out, "PTTL", key);
      end(2);
    }
  }
  RedisFound await_resume() {
    rethrow();
    return std::move(found_);
  }

 private:
  /// The order of the commands: a change between them is reported between their responses.
  void take(RespCursor answer) override {
    if (std::exchange(has_value_, true)) {
      return take_left(answer.peek());
    }
    Text value;
    read(redis::detail::target_of(value), answer);
    if (value) {
      found_.bytes = std::make_shared<const std::string>(std::move(*value));
    }
    if (!has_failed()) {
      store_.keep(key_, found_.bytes);
    }
  }
  void take_left(const RespItem& left) {
    if (left.kind != RespKind::integer) {
      return;
    }
    if (left.number >= 0) {
      found_.ttl = std::chrono::milliseconds(std::min<std::int64_t>(left.number, kLeftMsMax));
    }
    store_.keep_until(key_, left.number);
  }

  Store& store_;
  std::string_view key_;
  bool has_value_ = false;
  RedisFound found_;
};

/// No value is cached before the server has confirmed to report changes.
class RedisCache::Store::Tracking final : public redis::detail::Call {
 public:
  explicit Tracking(Store& store)
      : Call(store.link_, "CLIENT TRACKING", store.link_.settings().options.command_time_max),
        store_(store) {
    if (Buffer* const out = begin()) {
      redis::detail::append_command(*out, "CLIENT", "TRACKING", "ON");
      end(1);
    }
  }

 private:
  void take(RespCursor answer) override {
    store_.is_tracking_ = answer.peek().kind == RespKind::simple;
    read({}, answer);
  }

  Store& store_;
};

RedisCache::Store::Store(std::shared_ptr<net::Net> net,
                         const std::shared_ptr<const Settings>& settings,
                         const RedisCacheOptions& options)
    : options_(options),
      net_(std::move(net)),
      link_(Loop::current(), *net_, settings, this),
      asking_(link_, options.ping_after) {}

RedisCache::Store::~Store() {
  link_.end_calls();
}

std::optional<RedisFound> RedisCache::Store::find(const std::string& key) {
  const Entry* const entry = entries_.find(key);
  const Instant now = link_.loop().now();
  if (entry == nullptr || entry->until <= now) {
    return std::nullopt;
  }
  return RedisFound{entry->value, entry->gone ? std::optional(*entry->gone - now) : std::nullopt};
}

Task<RedisFound> RedisCache::Store::ask(std::string key, Duration time) {
  Get asking(*this, time, key);
  co_return co_await asking;
}

void RedisCache::Store::on_connected() {
  tracking_ = std::make_unique<Tracking>(*this);
}

/// Reads "invalidate" and a list of keys; null: all keys.
void RedisCache::Store::on_push(RespCursor push) {
  const auto values = push.next().number;
  if (push.next().text != "invalidate") {
    return;
  }
  const RespItem keys = values < 2 ? RespItem{.kind = RespKind::simple} : push.next();
  if (keys.kind == RespKind::null) {
    return forget_all();
  }
  // The meaning is unknown, so the cached values may be outdated.
  if (keys.kind != RespKind::array) {
    return link_.break_off("the server did not report which keys have changed");
  }
  for (std::int64_t i = 0; i < keys.number; ++i) {
    forget(push.next().text);
  }
}

void RedisCache::Store::keep(std::string_view key, const Bytes& value) {
  drop(key);
  Entry entry{.key = std::string(key), .value = value};
  if (!is_tracking_ || entry.bytes() > options_.bytes_max || options_.keys_max == 0) {
    return;
  }
  while (entries_.size() >= options_.keys_max || bytes_ + entry.bytes() > options_.bytes_max) {
    bytes_ -= entries_.take_oldest().bytes();
  }
  bytes_ += entries_.add(std::move(entry)).bytes();
}

/// Redis reports the expiry of a value only when it removes it, which may be late.
///
/// left_ms  as returned by PTTL; -1: no expiry; -2: no such key
void RedisCache::Store::keep_until(std::string_view key, std::int64_t left_ms) {
  Entry* const entry = entries_.find(key);
  if (entry == nullptr) {
    return;
  }
  if (left_ms == -2 && entry->value) {
    drop(key);
    return;
  }
  const Duration ttl_max = std::min<Duration>(options_.ttl_max, std::chrono::hours(24 * 365));
  const Instant now = link_.loop().now();
  entry->until = now + ttl_max;
  if (left_ms >= 0) {
    entry->gone = now + std::chrono::milliseconds(std::min(left_ms, kLeftMsMax));
    entry->until = std::min(entry->until, *entry->gone);
  }
}

bool RedisCache::Store::drop(std::string_view key) {
  const auto dropped = entries_.take(key);
  bytes_ -= dropped ? dropped->bytes() : 0;
  return dropped.has_value();
}

void RedisCache::Store::forget(std::string_view key) {
  counts_.invalidated += drop(key) ? 1 : 0;
}

void RedisCache::Store::forget_all() noexcept {
  is_tracking_ = is_tracking_ && link_.life() != 0;
  counts_.invalidated += entries_.size();
  entries_.clear();
  bytes_ = 0;
}

void RedisCache::require_one_server(const Redis& redis) {
  if (redis.state_->settings->target.kind == redis::detail::TargetKind::cluster) {
    throw RedisFailure(RedisFault::open, RedisFailure::Done::nothing,
                       "a RedisCache needs a single server, not a cluster");
  }
}

RedisCache::RedisCache(const Redis& redis, const RedisCacheOptions& options) : time_(redis.time_) {
  require_one_server(redis);
  store_ =
      std::make_unique<Store>(redis.state_->lines.here().net(), redis.state_->settings, options);
}

RedisCache::~RedisCache() = default;

Task<RedisFound> RedisCache::find(std::string key) {
  if (auto kept = store_->find(key)) {
    ++store_->counts().hits;
    co_return std::move(*kept);
  }
  ++store_->counts().misses;
  co_return co_await store_->ask(std::move(key), time_);
}

Task<Text> RedisCache::get(std::string key) {
  const RedisFound found = co_await find(std::move(key));
  co_return found.bytes == nullptr ? std::nullopt : Text(*found.bytes);
}

void RedisCache::forget(std::string_view key) noexcept {
  store_->drop(key);
}

const RedisCacheCounts& RedisCache::counts() const noexcept {
  return store_->counts();
}

std::size_t RedisCache::size() const noexcept {
  return store_->size();
}

}  // namespace eider
