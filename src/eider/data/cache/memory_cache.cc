// Values in memory, the ones used longest ago forgotten first.
#include <list>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include "eider/data/cache/cache_store.h"
#include "eider/io/runtime/loop.h"

namespace eider {

namespace {

/// What one costs beside its texts: two nodes and what owns the value.
constexpr std::size_t kEntryBytes = 256;

class MemoryCache final : public CacheStore {
 public:
  explicit MemoryCache(MemoryCacheLimits limits) noexcept : limits_(limits) {}

  [[nodiscard]] Task<std::optional<CachedValue>> find(std::string key) override {
    const Instant now = Loop::current().now();
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      co_return std::nullopt;
    }
    const auto entry = found->second;
    if (entry->until <= now) {
      remove(entry);
      co_return std::nullopt;
    }
    entries_.splice(entries_.begin(), entries_, entry);
    co_return CachedValue{.bytes = entry->bytes, .left = entry->until - now};
  }

  [[nodiscard]] Task<> put(std::string key, CachedBytes bytes, Duration keep) override {
    const Instant now = Loop::current().now();
    const std::lock_guard lock(mutex_);
    take_out(key);
    const std::size_t cost = kEntryBytes + key.size() + bytes->size();
    if (bytes->size() > limits_.value_bytes_max || cost > limits_.bytes_max) {
      co_return;
    }
    entries_.push_front({.key = std::move(key),
                         .bytes = std::move(bytes),
                         .until = keep < Instant::max() - now ? now + keep : Instant::max()});
    by_key_.emplace(entries_.front().key, entries_.begin());
    bytes_ += cost;
    while (bytes_ > limits_.bytes_max) {
      remove(std::prev(entries_.end()));
    }
  }

  [[nodiscard]] Task<> erase(std::string key) override {
    const std::lock_guard lock(mutex_);
    take_out(key);
    co_return;
  }

 private:
  struct Entry {
    std::string key;
    CachedBytes bytes;
    Instant until;
  };
  using Entries = std::list<Entry>;  // the one used last comes first

  // With the lock held.
  void take_out(std::string_view key) {
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      remove(found->second);
    }
  }
  void remove(Entries::iterator entry) {
    bytes_ -= kEntryBytes + entry->key.size() + entry->bytes->size();
    by_key_.erase(entry->key);  // ahead of the entry, which owns the key's text
    entries_.erase(entry);
  }

  const MemoryCacheLimits limits_;
  std::mutex mutex_;
  Entries entries_;
  std::map<std::string_view, Entries::iterator> by_key_;  // no hash that one could aim at
  std::size_t bytes_ = 0;
};

}  // namespace

std::shared_ptr<CacheStore> memory_cache(MemoryCacheLimits limits) {
  return std::make_shared<MemoryCache>(limits);
}

}  // namespace eider
