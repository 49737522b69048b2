// Returns freed memory to the system after many connections have closed.
// Layering: must not be called where each request counts: it only counts connections there.
#pragma once

#include <algorithm>
#include <cstddef>

#include "eider/io/runtime/timer.h"
#include "eider/server/context.h"

namespace eider::detail::server {

/// Returns freed memory that malloc has kept to the system. It takes time, so call it when no
/// client waits.
void trim_heap() noexcept;

/// After a thousand slow readers have disconnected, malloc keeps megabytes of freed memory, because
/// a small allocation lies above it, such as a spare coroutine frame. Some time after the number of
/// connections has halved, this class frees spare objects and returns the memory once.
class HeapTrim final : private Timer {
 public:
  explicit HeapTrim(LoopContext& context) noexcept : context_(context) {}

  /// Notes the current number of connections.
  void note(std::size_t connections) noexcept {
    connections_ = connections;
    most_ = std::max(most_, connections);
    if (has_fallen() && !is_armed()) [[unlikely]] {
      arm();
    }
  }

 private:
  // Fewer connections never use much memory.
  static constexpr std::size_t kWorthwhile = 64;

  [[nodiscard]] bool has_fallen() const noexcept {
    return most_ >= kWorthwhile && connections_ < most_ / 2;
  }
  void arm() noexcept;
  void expire() override;

  LoopContext& context_;
  std::size_t connections_ = 0;
  std::size_t most_ = 0;  // since the last trim
};

}  // namespace eider::detail::server
