#include <utility>

#include "eider/web/files/document_cache.h"

namespace eider::detail::files {

std::shared_ptr<const Document> DocumentCache::find(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const Entry* const entry = entries_.find(path);
  return entry == nullptr ? nullptr : entry->document;
}

void DocumentCache::put(std::string_view path, std::shared_ptr<const Document> document) {
  const std::lock_guard lock(mutex_);
  if (const auto replaced = entries_.take(path)) {
    subtract(*replaced);
  }
  memory_bytes_ += document->memory_bytes();
  open_files_ += document->open_files();
  entries_.add({std::string(path), std::move(document)});
  while (!entries_.empty() &&
         (memory_bytes_ > limits_.memory_bytes_max || open_files_ > limits_.open_files_max)) {
    subtract(entries_.take_oldest());
  }
}

void DocumentCache::remove(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (const auto removed = entries_.take(path)) {
    subtract(*removed);
  }
}

DocumentCache::Held DocumentCache::held() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size(), memory_bytes_, open_files_};
}

void DocumentCache::subtract(const Entry& removed) noexcept {
  memory_bytes_ -= removed.document->memory_bytes();
  open_files_ -= removed.document->open_files();
}

}  // namespace eider::detail::files
