// Memory for objects that end together: allocated in a row and freed all at once.
// Layering: must not contain objects with nontrivial destructors: no destructor is called.
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/base/poison.h"

namespace eider {

/// Bump allocator over growing blocks. An empty arena owns no memory. With AddressSanitizer, a read
/// of released or reset memory is reported.
class Arena {
 public:
  Arena() = default;
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    swap(other);
    return *this;
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  /// Returns uninitialised memory. Throws std::bad_alloc.
  ///
  /// alignment  a power of two, at most alignof(std::max_align_t)
  [[nodiscard]] void* allocate(std::size_t bytes,
                               std::size_t alignment = alignof(std::max_align_t)) {
    const std::size_t padding = (0 - at_) & (alignment - 1);
    if (end_ - at_ < padding || end_ - at_ - padding < bytes) [[unlikely]] {
      return allocate_in_new_block(bytes);
    }
    void* memory = memory_ + at_ + padding;
    at_ += padding + bytes;
    detail::base::unpoison(memory, bytes);
    return memory;
  }

  /// Copies `text` into the arena.
  [[nodiscard]] std::string_view copy(std::string_view text);

  template <class T, class... Args>
  [[nodiscard]] T& make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena does not run destructors");
    static_assert(alignof(T) <= alignof(std::max_align_t));
    return *::new (allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...);
  }

  /// Returns `count` value-initialised elements.
  template <class T>
  [[nodiscard]] std::span<T> make_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena does not run destructors");
    static_assert(alignof(T) <= alignof(std::max_align_t));
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) {
      throw std::bad_alloc();
    }
    T* first = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    for (std::size_t index = 0; index < count; ++index) {
      ::new (first + index) T();
    }
    return {first, count};
  }

  /// Drops all objects and keeps the newest (largest) block for further allocations.
  void reset() noexcept;
  /// Drops all objects and frees all memory.
  void release() noexcept;
  /// Returns whether anything was allocated since the last `reset` or `release`.
  [[nodiscard]] bool is_used() const noexcept { return at_ > kBlockHeaderBytes; }
  /// Returns the size of all memory that the arena owns, in bytes.
  [[nodiscard]] std::size_t capacity() const noexcept;

  void swap(Arena& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(at_, other.at_);
    std::swap(end_, other.end_);
  }

 private:
  struct Block;
  static constexpr std::size_t kBlockHeaderBytes = 2 * sizeof(void*);

  [[nodiscard]] void* allocate_in_new_block(std::size_t bytes);
  static void free_blocks(Block* newest) noexcept;

  /// The newest block. It starts with its header, and offsets count from there.
  char* memory_ = nullptr;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
};

}  // namespace eider
