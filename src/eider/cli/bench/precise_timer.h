// A timer of a loop that is exact to microseconds; those of the loop itself count milliseconds.
// Must not be used in numbers: each has a descriptor of the kernel.
#pragma once

#include "eider/runtime/descriptor.h"
#include "eider/runtime/fd_watch.h"
#include "eider/runtime/time.h"

namespace eider::bench {

class PreciseTimer : private FdWatch {
 public:
  /// Throws std::system_error when the process is out of descriptors.
  explicit PreciseTimer(Loop& loop);
  ~PreciseTimer() { stop(); }

  /// `on_wake` is called once at or after `due`, at once when that has passed.
  void wake_at(Instant due);
  virtual void on_wake() = 0;

  using FdWatch::stop;

 private:
  void on_ready(Readiness what) final;

  Descriptor timer_;
};

}  // namespace eider::bench
