// A cache of recently requested documents, bounded in memory and file descriptors, for all event
// loops.
// Layering: must not access files; its user reads them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "eider/core/base/lru_map.h"
#include "eider/web/files/document.h"

namespace eider::detail::files {

/// Thread-safe.
class DocumentCache {
 public:
  struct Limits {
    std::size_t memory_bytes_max;
    std::size_t open_files_max;
  };

  explicit DocumentCache(const Limits& limits) noexcept : limits_(limits) {}

  /// Returns the last document of `path`; null if it is not cached.
  [[nodiscard]] std::shared_ptr<const Document> find(std::string_view path);
  /// Replaces the cached document of `path`, if there is room or room can be made.
  void put(std::string_view path, std::shared_ptr<const Document> document);
  void remove(std::string_view path);

  struct Held {
    std::size_t documents = 0;
    std::size_t memory_bytes = 0;
    std::size_t open_files = 0;
  };
  [[nodiscard]] Held held() const;

 private:
  struct Entry {
    std::string path;
    std::shared_ptr<const Document> document;
  };

  void subtract(const Entry& removed) noexcept;

  const Limits limits_;
  mutable std::mutex mutex_;
  LruMap<Entry, &Entry::path> entries_;
  std::size_t memory_bytes_ = 0;
  std::size_t open_files_ = 0;
};

}  // namespace eider::detail::files
