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

/// This process does nothing at it from now on. Unlike SIG_IGN, processes that it starts are as if
/// it had not been called.
void ignore_signal(int number) noexcept;

/// Restores the default effect of a signal that this process ignores. Shells start background jobs
/// with SIGINT ignored, so a second Ctrl-C would otherwise not end such a process. Other handlers
/// stay.
void stop_ignoring_signal(int number) noexcept;

/// Nobody acts on it: it does what it does by itself, or is ignored by `ignore_signal`.
[[nodiscard]] bool is_unheard(int number) noexcept;

/// Derive from it. While it lives, the given signals no longer have their default effect in any
/// thread; afterwards they have again what they had before. Nothing is masked, so that threads and
/// child processes started meanwhile inherit nothing.
class SignalWatch : private FdWatch {
 public:
  /// Pre: no other SignalWatch has one of these signals. Throws std::system_error when the process
  /// is out of descriptors.
  SignalWatch(Loop& loop, std::initializer_list<int> numbers);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Called on the loop's thread, once per arrival (as with all signals, equal ones that come
  /// faster than they are told may be told as one).
  virtual void on_signal(int number) = 0;

 protected:
  ~SignalWatch();

  /// For `on_signal`: the value that the sender has attached to the signal (sigqueue(3)). 0: none.
  [[nodiscard]] std::uintptr_t attached() const noexcept { return attached_; }

 private:
  void on_ready(Readiness what) final;

  std::vector<int> numbers_;
  Descriptor read_end_;
  Descriptor write_end_;
  std::uintptr_t attached_ = 0;
};

}  // namespace eider
