// Delivers the process's signals to one event loop as plain calls.
// Layering: must not do work inside a signal handler: the handler only writes a few bytes to a
// pipe.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"

namespace eider {

class Loop;

/// Ignores the signal in this process. Unlike with SIG_IGN, processes that it starts do not inherit
/// this.
void ignore_signal(int number) noexcept;

/// Restores the default effect of a signal that this process ignores. Shells start background jobs
/// with SIGINT ignored, so a second Ctrl-C would otherwise not end such a process. Other handlers
/// stay.
void stop_ignoring_signal(int number) noexcept;

/// Returns whether no handler acts on the signal: it has its default effect, or `ignore_signal` was
/// called.
[[nodiscard]] bool is_unheard(int number) noexcept;

/// Derive from it. While it lives, the signals have no default effect in any thread; afterwards
/// their earlier actions are restored. No signal is masked, so that threads and child processes
/// inherit nothing.
class SignalWatch : private FdWatch {
 public:
  /// Pre: no other SignalWatch watches one of these signals. Throws std::system_error if the
  /// process has no descriptors left.
  SignalWatch(Loop& loop, std::initializer_list<int> numbers);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Called on the loop's thread, once per signal. Equal signals that arrive in quick succession
  /// may be merged, as usual.
  virtual void on_signal(int number) = 0;

 protected:
  ~SignalWatch();

  /// For `on_signal`: returns the value that the sender attached to the signal (sigqueue(3)), or 0.
  [[nodiscard]] std::uintptr_t attached() const noexcept { return attached_; }

 private:
  void on_ready(Readiness what) final;

  std::vector<int> numbers_;
  Descriptor read_end_;
  Descriptor write_end_;
  std::uintptr_t attached_ = 0;
};

}  // namespace eider
