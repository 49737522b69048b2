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

  /// Makes the ring, disabled until `enable`. Needs Linux 6.1.
  ///
  /// errors   which rule, filter or age of the kernel stands against it, and what to do
  [[nodiscard]] Result<void> open();

  /// The calling thread becomes the only one that may submit.
  void enable() noexcept;
  [[nodiscard]] bool is_enabled() const noexcept { return is_enabled_; }

  /// An entry to fill in; what is full is submitted first. Pre: is_enabled().
  [[nodiscard]] io_uring_sqe& entry() noexcept;
  /// Submits without waiting.
  void submit() noexcept;
  /// Whether entries were submitted ahead of the last turn's end, as they were too many; forgets
  /// it.
  [[nodiscard]] bool take_early() noexcept { return std::exchange(is_early_, false); }
  /// Submits, and waits for a completion until `patience` is over.
  void submit_and_wait(Duration patience) noexcept;

  /// Whether the last call has left completions in the kernel, as it brings but so many.
  [[nodiscard]] bool keeps_back() const noexcept;

  /// How many descriptors can be registered, which spares the kernel a look-up per operation.
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
