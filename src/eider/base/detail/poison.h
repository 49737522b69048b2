// Tells AddressSanitizer which bytes of a slab nobody may touch; compiles to nothing without it.
// Must not be used where the sanitizer already sees the frees by itself.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define EIDER_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EIDER_HAS_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef EIDER_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace eider::detail {

#ifdef EIDER_HAS_ADDRESS_SANITIZER
inline void poison(const void* at, std::size_t bytes) noexcept {
  __asan_poison_memory_region(at, bytes);
}
inline void unpoison(const void* at, std::size_t bytes) noexcept {
  __asan_unpoison_memory_region(at, bytes);
}
#else
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

}  // namespace eider::detail
