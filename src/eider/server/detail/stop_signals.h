// SIGTERM and SIGINT as a call on a loop; the second of them is the process's own business again.
// Must not be made before the threads' signal mask is set: see block.
#pragma once

#include <csignal>
#include <functional>

#include "eider/runtime/descriptor.h"
#include "eider/runtime/fd_watch.h"

namespace eider::detail {

class StopSignals final : private FdWatch {
 public:
  /// Keeps both signals from this thread, and from those that it starts afterwards.
  ///
  /// returns  the mask before
  static sigset_t block() noexcept;
  static void restore(const sigset_t& mask) noexcept;

  /// stop  called at the first signal. From then on another one kills the process.
  StopSignals(Loop& loop, std::move_only_function<void()> stop);

  /// Begins to listen. Pre: called on the loop's thread, or before it runs.
  void start();

 private:
  void on_ready(Readiness what) override;

  Descriptor fd_;
  std::move_only_function<void()> stop_;
};

}  // namespace eider::detail
