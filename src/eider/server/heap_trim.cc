#include "eider/server/heap_trim.h"

#include "eider/io/runtime/frame_pool.h"

// glibc's; other C libraries do without.
extern "C" int malloc_trim(std::size_t pad) __attribute__((weak));

namespace eider::detail::server {

namespace {

/// Where connections come and go it is not done more often than this.
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
    // What is kept is dropped ahead of the trim, or it would hold the pages around it.
    context_.exchanges.release_spare();
    context_.spare_streams.clear();
    context_.loop.release_spare();
    release_kept_frames();
    trim_heap();
  }
  most_ = connections_;
}

}  // namespace eider::detail::server
