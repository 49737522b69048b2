// Objects of one type in blocks of one owner: created and destroyed without the heap.
// Layering: must not be shared between threads, and releases its blocks only when it is destroyed.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "eider/core/base/assert.h"
#include "eider/core/base/poison.h"

namespace eider {

template <class T>
class Slab {
 public:
  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  /// Pre: all objects are destroyed.
  ~Slab() {
    ensure(in_use_ == 0, "a slab must outlive its objects");
    unpoison_all();
  }

  /// A new object, in the place most lately left when there is one (its lines are warm).
  template <class... Arguments>
  [[nodiscard]] T& make(Arguments&&... arguments) {
    if (free_ == nullptr) {
      add_block();
    }
    Place* place = free_;
    detail::base::unpoison(place, sizeof(Place));
    Place* rest = place->next;
    T* object = ::new (place->object) T(std::forward<Arguments>(arguments)...);
    free_ = rest;
    ++in_use_;
    return *object;
  }

  /// Pre: `object` came from this slab's `make`.
  void destroy(T& object) noexcept {
    object.~T();
    give_back(reinterpret_cast<Place*>(&object));
    --in_use_;
  }

  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }

 private:
  union Place {
    Place() {}
    ~Place() {}
    Place* next;
    alignas(T) std::byte object[sizeof(T)];
  };
  static constexpr std::size_t kBlockBytes = 16384;
  static constexpr std::size_t kPerBlock = sizeof(Place) * 4 > kBlockBytes
                                               ? 4
                                               : kBlockBytes / sizeof(Place);

  void give_back(Place* place) noexcept {
    place->next = free_;
    free_ = place;
    detail::base::poison(place, sizeof(Place));
  }

  void add_block() {
    auto block = std::make_unique<Place[]>(kPerBlock);
    Place* const first = block.get();
    blocks_.push_back(std::move(block));
    for (std::size_t index = kPerBlock; index > 0; --index) {
      give_back(first + index - 1);
    }
  }

  void unpoison_all() noexcept {
    for (const auto& block : blocks_) {
      detail::base::unpoison(block.get(), kPerBlock * sizeof(Place));
    }
  }

  std::vector<std::unique_ptr<Place[]>> blocks_;
  Place* free_ = nullptr;
  std::size_t in_use_ = 0;
};

}  // namespace eider
