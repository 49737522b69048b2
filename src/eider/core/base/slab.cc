#include "eider/core/base/slab.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace eider::detail::base {

void* map_aligned(std::size_t bytes) {
  if constexpr (kSeesPoison) {
    // LeakSanitizer finds pointers to leaked memory only in the heap.
    return ::operator new(bytes, std::align_val_t{bytes});
  }
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  void* const mapped = mmap(nullptr, 2 * bytes, kAccess, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    throw std::bad_alloc();
  }
  // Twice the size always contains an aligned block; unmap the rest.
  auto* const begin = static_cast<std::byte*>(mapped);
  const std::size_t before = (bytes - std::bit_cast<std::uintptr_t>(begin) % bytes) % bytes;
  if (before != 0) {
    munmap(begin, before);
  }
  munmap(begin + before + bytes, bytes - before);
  return begin + before;
}

void unmap_aligned(void* memory, std::size_t bytes) noexcept {
  if constexpr (kSeesPoison) {
    ::operator delete(memory, bytes, std::align_val_t{bytes});
  } else {
    munmap(memory, bytes);
  }
}

}  // namespace eider::detail::base
