// Objects of one type in blocks of one owner: created and destroyed without the heap.
// Layering: must not be shared between threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/base/intrusive_list.h"
#include "eider/core/base/poison.h"

namespace eider {

namespace detail::base {

/// Maps zeroed memory from the system, aligned to its size. The heap would leave gaps between such
/// blocks, and keep them.
///
/// bytes   a power of two, and a multiple of the size of a page
/// errors  throws std::bad_alloc
[[nodiscard]] void* map_aligned(std::size_t bytes);
void unmap_aligned(void* memory, std::size_t bytes) noexcept;

}  // namespace detail::base

template <class T>
class Slab {
 public:
  Slab() = default;
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;
  /// Pre: all objects are destroyed.
  ~Slab() {
    ensure(in_use_ == 0, "a slab must outlive its objects");
    open_.take(empty_);
    while (Block* block = open_.front()) {
      free_block(*block);
    }
  }

  /// Creates an object in the place of its block that was freed last (its cache lines are warm).
  template <class... Arguments>
  [[nodiscard]] T& make(Arguments&&... arguments) {
    if (open_.empty()) {
      open_.push_back(take_block());
    }
    Block& block = *open_.front();
    Place* const place = block.free != nullptr ? block.free : block.place(block.touched);
    detail::base::unpoison(place, sizeof(Place));
    Place* const rest = block.free != nullptr ? place->next : nullptr;
    T* object = ::new (place->object) T(std::forward<Arguments>(arguments)...);
    // Change the block only after the constructor, which may throw.
    block.touched += block.free == nullptr ? 1U : 0U;
    block.free = rest;
    ++in_use_;
    if (++block.in_use == kPerBlock) {
      block.unlink();
    }
    return *object;
  }

  /// Destroys an object and frees empty blocks, except a few. Pre: `object` was created by this
  /// slab's `make`.
  void destroy(T& object) noexcept {
    object.~T();
    auto* const place = reinterpret_cast<Place*>(&object);
    Block& block = block_of(place);
    place->next = block.free;
    block.free = place;
    detail::base::poison(place, sizeof(Place));
    --in_use_;
    if (block.in_use-- == kPerBlock) {
      open_.push_back(block);
    }
    if (block.in_use == 0) [[unlikely]] {
      block.unlink();
      empty_.push_back(block);
      ++empty_blocks_;
      free_needless();
    }
  }

  [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

 private:
  union Place {
    Place() {}
    ~Place() {}
    Place* next;
    alignas(T) std::byte object[sizeof(T)];
  };
  struct Block : ListNode {
    [[nodiscard]] Place* place(std::uint32_t index) noexcept {
      return reinterpret_cast<Place*>(reinterpret_cast<std::byte*>(this) + kFirstPlace) + index;
    }
    Place* free = nullptr;      // the list of freed places
    std::uint32_t touched = 0;  // places that were ever in use
    std::uint32_t in_use = 0;
  };
  // Blocks are aligned to their size, so an object's address leads to its block.
  static constexpr std::size_t kFirstPlace =
      (sizeof(Block) + alignof(Place) - 1) / alignof(Place) * alignof(Place);
  static constexpr std::size_t kBlockBytes =
      std::max<std::size_t>(65536, std::bit_ceil(kFirstPlace + 4 * sizeof(Place)));
  static constexpr std::uint32_t kPerBlock =
      static_cast<std::uint32_t>((kBlockBytes - kFirstPlace) / sizeof(Place));

  [[nodiscard]] static Block& block_of(Place* place) noexcept {
    const std::size_t within = std::bit_cast<std::uintptr_t>(place) % kBlockBytes;
    return *reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(place) - within);
  }

  [[nodiscard]] Block& take_block() {
    if (Block* const kept = empty_.pop_front()) {
      --empty_blocks_;
      return *kept;
    }
    void* const memory = detail::base::map_aligned(kBlockBytes);
    Block& block = *::new (memory) Block;
    detail::base::poison(block.place(0), kPerBlock * sizeof(Place));
    ++blocks_;
    return block;
  }

  /// Keeps some empty blocks, so that a number of objects that goes up and down does not map and
  /// unmap the same block each time.
  void free_needless() noexcept {
    while (empty_blocks_ > 1 + (blocks_ - empty_blocks_) / kBlocksPerSpare) {
      --empty_blocks_;
      free_block(*empty_.front());
    }
  }

  void free_block(Block& block) noexcept {
    detail::base::unpoison(block.place(0), kPerBlock * sizeof(Place));
    block.~Block();
    detail::base::unmap_aligned(&block, kBlockBytes);
    --blocks_;
  }

  static constexpr std::size_t kBlocksPerSpare = 8;

  IntrusiveList<Block> open_;   // blocks with objects and with free places
  IntrusiveList<Block> empty_;  // blocks kept for reuse
  std::size_t blocks_ = 0;
  std::size_t empty_blocks_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace eider
