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

 private:
  struct Place {
    Key key{};
    std::unique_ptr<T> idle;
  };

  std::array<Place, kPlaces> places_{};
  std::size_t next_victim_ = 0;
};

/// Returns the T of this thread, created at the first call, or null after the thread has destroyed
/// it.
///
/// A compressor with static lifetime returns its state after the pool of the thread was destroyed.
template <class T>
[[nodiscard]] T* of_this_thread() {
  thread_local bool is_gone = false;  // trivial type, so it is readable until the end of the thread
  struct Holder {
    explicit Holder(bool& gone) noexcept : its_end(gone) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() { its_end = true; }
    T object{};
    bool& its_end;
  };
  if (is_gone) {
    return nullptr;
  }
  thread_local Holder holder(is_gone);
  return &holder.object;
}

}  // namespace eider
