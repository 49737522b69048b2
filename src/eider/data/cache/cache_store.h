// Where values are kept for a while: in memory, or where several processes have them.
// Must not make values, nor know what they are: a Cache does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

using CachedBytes = std::shared_ptr<const std::string>;

/// left  until it is gone
struct CachedValue {
  CachedBytes bytes;
  Duration left;
};

/// Called from every loop.
class CacheStore {
 public:
  virtual ~CacheStore() = default;

  /// Nothing where it is not there, or the store does not know: it throws nothing, and ends within
  /// a fraction of a second, whatever becomes of the network.
  [[nodiscard]] virtual Task<std::optional<CachedValue>> find(std::string key) = 0;
  /// As `find`: a value that cannot be kept is not. keep  more than nothing
  [[nodiscard]] virtual Task<> put(std::string key, CachedBytes bytes, Duration keep) = 0;
  /// errors  thrown: it may be there still
  [[nodiscard]] virtual Task<> erase(std::string key) = 0;
};

struct MemoryCacheLimits {
  /// Of all values with their keys; beyond it those that were used longest ago go.
  std::size_t bytes_max = std::size_t{64} << 20U;
  /// A larger one is not kept.
  std::size_t value_bytes_max = std::size_t{1} << 20U;
};

/// For one process, all loops together.
[[nodiscard]] std::shared_ptr<CacheStore> memory_cache(MemoryCacheLimits limits = {});

}  // namespace eider
