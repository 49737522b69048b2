#include "eider/server/heap_trim.h"

#include "eider/io/runtime/frame_pool.h"

// A function of glibc; null with other C libraries.
extern "C" int malloc_trim(std::size_t pad) __attribute__((weak));

namespace eider::detail::server {

namespace {

/// The minimum time between two trims, if connections come and go.
constexpr Duration kBetween = std::chrono::seconds(2);

}  // namespace

void trim_heap() noexcept {
  if (&malloc_trim != nullptr) {
    malloc_trim(0);
  }
}

void HeapTrim::arm() noexcept {
  context_.loop.arm(*this, context_.loop.now() + kBetween);
}

void HeapTrim::expire() {
  if (has_fallen()) {
    // Free spare objects before the trim, because they would keep their pages in use.
    context_.exchanges.release_spare();
    context_.spare_streams.clear();
    context_.loop.release_spare();
    release_kept_frames();
    trim_heap();
  }
  most_ = connections_;
}

}  // namespace eider::detail::server
