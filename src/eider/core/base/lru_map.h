// A map by text that remembers the order in which its entries were used.
// Layering: must not know limits. Owners compare size() or a cost of their own with theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace eider {

/// Whether clients choose the keys. If they do, a tree is used instead of a hash table, because a
/// client could choose keys that collide.
enum class LruKeys : bool { own, of_clients };

/// kKey  a member or member function of Entry that returns its key as text; the key must not change
template <class Entry, auto kKey, LruKeys kKeys = LruKeys::own>
class LruMap {
 public:
  /// Returns the entry and marks it as most recently used, or returns null. The pointer is valid
  /// until the entry is removed.
  [[nodiscard]] Entry* find(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) {
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return &*found->second;
  }
  [[nodiscard]] bool contains(std::string_view key) const { return by_key_.contains(key); }

  /// Adds an entry as most recently used. Pre: there is no entry with its key.
  Entry& add(Entry entry) {
    entries_.push_front(std::move(entry));
    by_key_.emplace(std::invoke(kKey, entries_.front()), entries_.begin());
    return entries_.front();
  }
  /// Removes and returns the entry, or returns nothing if there is no such entry.
  std::optional<Entry> take(std::string_view key) {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? std::nullopt : std::optional(take(found));
  }
  /// Removes and returns the least recently used entry. Pre: !empty().
  Entry take_oldest() { return take(by_key_.find(std::invoke(kKey, entries_.back()))); }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }
  void clear() noexcept {
    by_key_.clear();
    entries_.clear();
  }

 private:
  using Place = typename std::list<Entry>::iterator;
  using Index = std::conditional_t<kKeys == LruKeys::of_clients, std::map<std::string_view, Place>,
                                   std::unordered_map<std::string_view, Place>>;

  Entry take(typename Index::iterator found) {
    const Place place = found->second;
    by_key_.erase(found);  // before the entry, which owns the key's text
    Entry taken = std::move(*place);
    entries_.erase(place);
    return taken;
  }

  std::list<Entry> entries_;  // the most recently used entry is first
  Index by_key_;
};

}  // namespace eider
