// A cache in memory that removes the least recently used values first.
#include <mutex>
#include <string>
#include <utility>

#include "eider/core/base/lru_map.h"
#include "eider/data/cache/cache_store.h"
#include "eider/io/runtime/loop.h"

namespace eider {

namespace {

/// Memory of an entry in addition to its texts: two nodes and the owner of the value.
constexpr std::size_t kEntryBytes = 256;

class MemoryCache final : public CacheStore {
 public:
  explicit MemoryCache(MemoryCacheLimits limits) noexcept : limits_(limits) {}

  [[nodiscard]] Task<std::optional<CachedValue>> find(std::string key) override {
    const Instant now = Loop::current().now();
    const std::lock_guard lock(mutex_);
    const Entry* const entry = entries_.find(key);
    if (entry == nullptr) {
      co_return std::nullopt;
    }
    if (entry->until <= now) {
      remove(key);
      co_return std::nullopt;
    }
    co_return CachedValue{.bytes = entry->bytes, .ttl = entry->until - now};
  }

  [[nodiscard]] Task<> put(std::string key, CachedBytes bytes, Duration keep) override {
    const Instant now = Loop::current().now();
    const std::lock_guard lock(mutex_);
    remove(key);
    Entry entry{.key = std::move(key),
                .bytes = std::move(bytes),
                .until = keep < Instant::max() - now ? now + keep : Instant::max()};
    if (entry.bytes->size() > limits_.value_bytes_max || entry.cost() > limits_.bytes_max) {
      co_return;
    }
    bytes_ += entries_.add(std::move(entry)).cost();
    while (bytes_ > limits_.bytes_max) {
      bytes_ -= entries_.take_oldest().cost();
    }
  }

  [[nodiscard]] Task<> erase(std::string key) override {
    const std::lock_guard lock(mutex_);
    remove(key);
    co_return;
  }

 private:
  struct Entry {
    std::string key;
    CachedBytes bytes;
    Instant until;

    [[nodiscard]] std::size_t cost() const noexcept {
      return kEntryBytes + key.size() + bytes->size();
    }
  };

  // With the lock held.
  void remove(const std::string& key) {
    if (const auto taken = entries_.take(key)) {
      bytes_ -= taken->cost();
    }
  }

  const MemoryCacheLimits limits_;
  std::mutex mutex_;
  LruMap<Entry, &Entry::key, LruKeys::of_clients> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::shared_ptr<CacheStore> memory_cache(MemoryCacheLimits limits) {
  return std::make_shared<MemoryCache>(limits);
}

}  // namespace eider
