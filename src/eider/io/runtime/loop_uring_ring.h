// Sets up the io_uring for one thread, and reports its errors.
// Layering: must not know streams.
#pragma once

#include <liburing.h>

#include <cstdint>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/runtime/time.h"

namespace eider {

class UringRing {
 public:
  UringRing() = default;
  UringRing(const UringRing&) = delete;
  UringRing& operator=(const UringRing&) = delete;
  ~UringRing();

  /// Creates the ring, disabled until `enable`. Requires Linux 6.1.
  ///
  /// errors   which rule, filter or kernel version prevents it, and the solution
  [[nodiscard]] Result<void> open();

  /// Makes the calling thread the only one that may submit.
  void enable() noexcept;
  [[nodiscard]] bool is_enabled() const noexcept { return is_enabled_; }

  /// Returns an entry to fill in; a full queue is submitted first. Pre: is_enabled().
  [[nodiscard]] io_uring_sqe& entry() noexcept;
  /// Submits without waiting.
  void submit() noexcept;
  /// Returns and resets whether entries were submitted before the end of the last turn because
  /// there were too many.
  [[nodiscard]] bool take_early() noexcept { return std::exchange(is_early_, false); }
  /// Submits, and waits for a completion for at most `patience`.
  void submit_and_wait(Duration patience) noexcept;

  /// Returns whether the last call left completions in the kernel, because it returns a limited
  /// number.
  [[nodiscard]] bool keeps_back() const noexcept;

  /// Returns how many descriptors can be registered, which saves the kernel a look-up per
  /// operation.
  [[nodiscard]] std::uint32_t fixed_files_max() const noexcept { return fixed_files_max_; }

  [[nodiscard]] io_uring& raw() noexcept { return ring_; }

 private:
  io_uring ring_{};
  std::uint32_t fixed_files_max_ = 0;
  bool is_open_ = false;
  bool is_enabled_ = false;
  bool is_early_ = false;
};

}  // namespace eider
