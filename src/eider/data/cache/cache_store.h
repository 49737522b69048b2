// The interface of cache stores, and the store in memory.
// Layering: must not compute values or know their types; a Cache does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

using CachedBytes = std::shared_ptr<const std::string>;

/// ttl  remaining lifetime
struct CachedValue {
  CachedBytes bytes;
  Duration ttl;
};

/// A store of cached values. All event loops call it.
class CacheStore {
 public:
  virtual ~CacheStore() = default;

  /// Returns nothing if the value does not exist or the store is not available. Must not throw, and
  /// must end within a fraction of a second, also if the network fails.
  [[nodiscard]] virtual Task<std::optional<CachedValue>> find(std::string key) = 0;
  /// Stores a value; errors are ignored, as in `find`.
  ///
  /// keep  lifetime, greater than zero
  [[nodiscard]] virtual Task<> put(std::string key, CachedBytes bytes, Duration keep) = 0;
  /// errors  thrown: the value may still exist
  [[nodiscard]] virtual Task<> erase(std::string key) = 0;
};

struct MemoryCacheLimits {
  /// Maximum size of all values with their keys; the least recently used ones are removed first.
  std::size_t bytes_max = std::size_t{64} << 20U;
  /// Larger values are not stored.
  std::size_t value_bytes_max = std::size_t{1} << 20U;
};

/// Returns a store in memory, for all event loops of one process.
[[nodiscard]] std::shared_ptr<CacheStore> memory_cache(MemoryCacheLimits limits = {});

}  // namespace eider
