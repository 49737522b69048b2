// Returns freed memory to the system after many connections have closed.
// Layering: must not be called where each request counts: it only counts connections there.
#pragma once

#include <algorithm>
#include <cstddef>

#include "eider/io/runtime/timer.h"
#include "eider/server/context.h"

namespace eider::detail::server {

/// What malloc keeps for itself of memory that was freed. For a moment in which nobody waits.
void trim_heap() noexcept;

/// A thousand slow readers hold megabytes that malloc keeps for itself when they have gone, because
/// something small lies above them, such as a coroutine's frame that is kept for reuse. One look,
/// some time after their number has halved, drops what is kept and returns the rest.
class HeapTrim final : private Timer {
 public:
  explicit HeapTrim(LoopContext& context) noexcept : context_(context) {}

  /// So many connections there are now.
  void note(std::size_t connections) noexcept {
    connections_ = connections;
    most_ = std::max(most_, connections);
    if (has_fallen() && !is_armed()) [[unlikely]] {
      arm();
    }
  }

 private:
  // Fewer never hold much.
  static constexpr std::size_t kWorthwhile = 64;

  [[nodiscard]] bool has_fallen() const noexcept {
    return most_ >= kWorthwhile && connections_ < most_ / 2;
  }
  void arm() noexcept;
  void expire() override;

  LoopContext& context_;
  std::size_t connections_ = 0;
  std::size_t most_ = 0;  // since the last time
};

}  // namespace eider::detail::server
