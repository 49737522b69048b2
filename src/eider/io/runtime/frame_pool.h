// Allocates coroutine frames from free lists, one set per thread, by size.
// Layering: must not be used for blocks whose size is unknown when they are released.
#pragma once

#include <cstddef>

namespace eider {

/// Frames up to this size are kept for reuse; larger ones come from the heap each time.
inline constexpr std::size_t kPooledFrameBytesMax = 4096;

/// False under AddressSanitizer: each frame is then a heap block, so that a use after its end is
/// reported.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kPoolsFrames = false;
#elif defined(__has_feature)
inline constexpr bool kPoolsFrames = !__has_feature(address_sanitizer);
#else
inline constexpr bool kPoolsFrames = true;
#endif

/// Returns a block of at least `bytes`, aligned for any fundamental type. Throws std::bad_alloc.
///
/// cost     no heap call if this thread has released a block of the same size class before
[[nodiscard]] void* allocate_frame(std::size_t bytes);

/// Releases `frame`, on any thread. Pre: it came from `allocate_frame(bytes)`.
void release_frame(void* frame, std::size_t bytes) noexcept;

/// Returns all blocks that this thread keeps to the heap; later ones are kept again.
void release_kept_frames() noexcept;

/// Returns the frames that this thread has allocated minus those it has released: negative if it
/// releases frames of other threads.
[[nodiscard]] std::ptrdiff_t frames_in_use() noexcept;

/// Returns how many blocks this thread has taken from the heap; constant in steady state.
[[nodiscard]] std::size_t frames_from_heap() noexcept;

}  // namespace eider
