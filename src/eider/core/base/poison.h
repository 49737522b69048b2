// Marks unused memory for AddressSanitizer; has no effect in other builds.
// Layering: must not be used where the sanitizer already sees the frees by itself.
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

namespace eider::detail::base {

#ifdef EIDER_HAS_ADDRESS_SANITIZER
inline constexpr bool kSeesPoison = true;
inline void poison(const void* at, std::size_t bytes) noexcept {
  __asan_poison_memory_region(at, bytes);
}
inline void unpoison(const void* at, std::size_t bytes) noexcept {
  __asan_unpoison_memory_region(at, bytes);
}
[[nodiscard]] inline bool is_poisoned(const void* at) noexcept {
  return __asan_address_is_poisoned(at) != 0;
}
#else
inline constexpr bool kSeesPoison = false;
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
[[nodiscard]] inline bool is_poisoned(const void*) noexcept {
  return false;
}
#endif

/// Makes reused memory, such as a receive buffer, accessible as long as this object lives. A view
/// that is used later could show bytes of another client, so AddressSanitizer reports it.
class OpenedMemory {
 public:
  OpenedMemory(const void* at, std::size_t bytes) noexcept : at_(at), bytes_(bytes) {
    unpoison(at, bytes);
  }
  ~OpenedMemory() { poison(at_, bytes_); }
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;

 private:
  const void* at_;
  std::size_t bytes_;
};

}  // namespace eider::detail::base
