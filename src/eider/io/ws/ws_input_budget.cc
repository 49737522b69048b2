#include "eider/io/ws/ws_input_budget.h"

#include <cstdint>
#include <limits>
#include <memory>

#include "eider/io/runtime/loop_local.h"

namespace eider::ws::detail {

namespace {

/// As much as the headers of a request.
constexpr std::size_t kOwnBytes = 16UL * 1024;

struct KeptMax final : LoopKept {
  std::size_t bytes_max = std::numeric_limits<std::size_t>::max();
};

KeptMax& max_of(Loop& loop) {
  static const std::uint64_t key = eider::detail::runtime::next_loop_key();
  if (loop.kept(key) == nullptr) {
    loop.kept(key) = std::make_unique<KeptMax>();
  }
  return static_cast<KeptMax&>(*loop.kept(key));
}

}  // namespace

void set_input_bytes_max(Loop& loop, std::size_t bytes_max) {
  max_of(loop).bytes_max = bytes_max;
}

bool WsInputBudget::admits(std::size_t own, std::size_t more) const {
  const std::size_t all = held_ + more;
  return all == own || own <= kOwnBytes || all <= max_of(loop_).bytes_max;
}

}  // namespace eider::ws::detail
