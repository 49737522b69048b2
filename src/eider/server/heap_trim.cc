#include "eider/server/detail/heap_trim.h"

// glibc's; other C libraries do without.
extern "C" int malloc_trim(std::size_t pad) __attribute__((weak));

namespace eider::detail {

namespace {

/// Where connections come and go it is not done more often than this.
constexpr Duration kBetween = std::chrono::seconds(2);

}  // namespace

void HeapTrim::arm() noexcept {
  loop_.arm(*this, loop_.now() + kBetween);
}

void HeapTrim::expire() {
  if (has_fallen() && &malloc_trim != nullptr) {
    malloc_trim(0);
  }
  most_ = connections_;
}

}  // namespace eider::detail
