// A few idle objects of one thread, kept because creating them is expensive.
// Layering: must not be shared between threads, and never has more elements than its places.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace eider {

/// Key  objects with equal keys can replace each other
template <class Key, class T, std::size_t kPlaces>
class IdlePool {
 public:
  /// Returns an object with the same key, or null.
  [[nodiscard]] std::unique_ptr<T> take(const Key& key) noexcept {
    for (Place& place : places_) {
      if (place.idle != nullptr && place.key == key) {
        return std::move(place.idle);
      }
    }
    return nullptr;
  }

  /// Keeps the object in a free place, or replaces another one.
  void put(const Key& key, std::unique_ptr<T> idle) noexcept {
    Place* chosen = &places_[next_victim_];
    for (Place& place : places_) {
      if (place.idle == nullptr) {
        chosen = &place;
        break;
      }
    }
    next_victim_ = (next_victim_ + 1) % kPlaces;
    chosen->key = key;
    chosen->idle = std::move(idle);
  }

  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t count = 0;
    for (const Place& place : places_) {
      count += place.idle != nullptr ? 1 : 0;
    }
    return count;
  }

 private:
  struct Place {
    Key key{};
    std::unique_ptr<T> idle;
  };

  std::array<Place, kPlaces> places_{};
  std::size_t next_victim_ = 0;
};

}  // namespace eider
