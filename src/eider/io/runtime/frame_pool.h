// Allocates coroutine frames from free lists, one set per thread, by size.
// Layering: must not be used for blocks whose size is unknown when they are released.
#pragma once

#include <cstddef>

namespace eider {

/// Frames up to this size are kept for reuse; larger ones come from the heap each time.
inline constexpr std::size_t kPooledFrameBytesMax = 4096;

/// False under AddressSanitizer: every frame is its own heap block there, so that a use after its
/// end is seen.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kPoolsFrames = false;
#elif defined(__has_feature)
inline constexpr bool kPoolsFrames = !__has_feature(address_sanitizer);
#else
inline constexpr bool kPoolsFrames = true;
#endif

/// A block of at least `bytes`, aligned for any fundamental type. Throws std::bad_alloc.
///
/// cost     no heap call once this thread has given back a block of the same size class
[[nodiscard]] void* allocate_frame(std::size_t bytes);

/// Gives `frame` back, on any thread. Pre: it came from `allocate_frame(bytes)`.
void release_frame(void* frame, std::size_t bytes) noexcept;

/// Gives all blocks that this thread keeps back to the heap; it goes on keeping those to come.
void release_kept_frames() noexcept;

/// What this thread allocated minus what it released: below zero where frames come to die.
[[nodiscard]] std::ptrdiff_t frames_in_use() noexcept;

/// How many blocks this thread has taken from the heap; stands still in steady state.
[[nodiscard]] std::size_t frames_from_heap() noexcept;

}  // namespace eider
