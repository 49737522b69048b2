// Objects found by their type, owned together, with the arena that contains them.
// Layering: must not be shared between threads that change it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "eider/core/base/arena.h"
#include "eider/core/base/type_key.h"

namespace eider {

/// When empty, it owns no memory. Stored objects keep their address until `clear`, also when the
/// Extensions object is moved.
class Extensions {
 public:
  Extensions() = default;
  Extensions(Extensions&& other) noexcept { swap(other); }
  Extensions& operator=(Extensions&& other) noexcept {
    swap(other);
    return *this;
  }
  Extensions(const Extensions&) = delete;
  Extensions& operator=(const Extensions&) = delete;
  ~Extensions() { destroy_all(); }

  /// Stores an object. If there are several objects of a type, `find` returns the newest. The
  /// others remain, because other objects may refer to them.
  template <class T>
  T& put(T object) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    auto* slot = static_cast<SlotOf<T>*>(arena_.allocate(sizeof(SlotOf<T>), alignof(SlotOf<T>)));
    std::construct_at(slot, std::move(object));
    slot->older = newest_;
    newest_ = slot;
    return slot->object;
  }
  /// Returns null if there is no object of that type.
  template <class T>
  [[nodiscard]] T* find() const noexcept {
    Slot* const slot = find_slot(&detail::base::kTypeKey<T>);
    return slot == nullptr ? nullptr : &static_cast<SlotOf<T>*>(slot)->object;
  }
  [[nodiscard]] bool contains(detail::base::TypeKey key) const noexcept {
    return find_slot(key) != nullptr;
  }

  /// Returns the arena for data that the objects view, and for other data with the same lifetime.
  [[nodiscard]] Arena& arena() noexcept { return arena_; }
  /// Returns whether anything was stored, or allocated in the arena, since the last `clear`.
  [[nodiscard]] bool are_used() const noexcept { return arena_.is_used(); }

  /// Destroys all objects, the newest first. A block of up to `kept_bytes_max` bytes is kept for
  /// reuse.
  void clear(std::size_t kept_bytes_max) noexcept {
    destroy_all();
    if (arena_.capacity() > kept_bytes_max) {
      arena_.release();
    } else {
      arena_.reset();
    }
  }

  void swap(Extensions& other) noexcept {
    arena_.swap(other.arena_);
    std::swap(newest_, other.newest_);
  }

 private:
  struct Slot {
    Slot* older;
    detail::base::TypeKey key;
    void (*destroy)(Slot&) noexcept;
  };
  template <class T>
  struct SlotOf : Slot {
    explicit SlotOf(T&& made)
        : Slot{nullptr, &detail::base::kTypeKey<T>, &end}, object(std::move(made)) {}
    static void end(Slot& slot) noexcept { std::destroy_at(&static_cast<SlotOf&>(slot)); }

    T object;
  };

  [[nodiscard]] Slot* find_slot(detail::base::TypeKey key) const noexcept {
    Slot* slot = newest_;
    while (slot != nullptr && slot->key != key) {
      slot = slot->older;
    }
    return slot;
  }
  /// Newer objects may refer to older ones, so they are destroyed first.
  void destroy_all() noexcept {
    while (newest_ != nullptr) {
      Slot& slot = *std::exchange(newest_, newest_->older);
      slot.destroy(slot);
    }
  }

  Arena arena_;
  Slot* newest_ = nullptr;
};

// Each request has an Extensions object, used or not, so it must be small.
static_assert(sizeof(Extensions) <= 4 * sizeof(void*));

}  // namespace eider
