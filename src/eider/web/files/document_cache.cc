#include <utility>

#include "eider/web/files/document_cache.h"

namespace eider::detail::files {

std::shared_ptr<const Document> DocumentCache::find(std::string_view path) {
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) {
    return nullptr;
  }
  // What was used last stands in front: the others are dropped before it.
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->document;
}

void DocumentCache::put(std::string_view path, std::shared_ptr<const Document> document) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_path_.find(path); found != by_path_.end()) {
    drop(found->second);
  }
  memory_bytes_ += document->memory_bytes();
  open_files_ += document->open_files();
  entries_.push_front({std::string(path), std::move(document)});
  // The key is a view into the entry, which never moves.
  by_path_.emplace(entries_.front().path, entries_.begin());
  make_room();
}

void DocumentCache::remove(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (const auto found = by_path_.find(path); found != by_path_.end()) {
    drop(found->second);
  }
}

DocumentCache::Held DocumentCache::held() const {
  const std::lock_guard lock(mutex_);
  return {entries_.size(), memory_bytes_, open_files_};
}

void DocumentCache::drop(Entries::iterator entry) {
  memory_bytes_ -= entry->document->memory_bytes();
  open_files_ -= entry->document->open_files();
  // The key goes before the entry that it views.
  by_path_.erase(entry->path);
  entries_.erase(entry);
}

void DocumentCache::make_room() {
  while (!entries_.empty() &&
         (memory_bytes_ > limits_.memory_bytes_max || open_files_ > limits_.open_files_max)) {
    drop(std::prev(entries_.end()));
  }
}

}  // namespace eider::detail::files
