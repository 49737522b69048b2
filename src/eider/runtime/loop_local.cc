#include "eider/runtime/loop_local.h"

#include <atomic>

namespace eider::detail {

std::uint64_t next_loop_key() noexcept {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace eider::detail
