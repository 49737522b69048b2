// The clock of an open loop: tells each request's instant, fixed before the run, when it has come.
// Must not wait for answers, nor know of any.
#pragma once

#include "cli/bench/schedule.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/fd_watch.h"
#include "eider/io/runtime/time.h"

namespace eider::bench {

/// A timer that is exact to microseconds; those of a loop count milliseconds. Not to be used in
/// numbers: each has a descriptor of the kernel.
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

class PacerUser {
 public:
  /// A request was due at `due`; it is `now`.
  virtual void on_due(Instant due, Instant now) = 0;

 protected:
  ~PacerUser() = default;
};

class Pacer final : private PreciseTimer {
 public:
  /// user  outlives it
  Pacer(Loop& loop, PacerUser& user, Schedule schedule)
      : PreciseTimer(loop), user_(user), schedule_(schedule) {}

  /// Tells of every instant of the schedule in [from, until).
  void start(Instant from, Instant until);
  [[nodiscard]] bool is_over() const noexcept { return next_ >= until_; }
  using PreciseTimer::stop;

 private:
  void on_wake() override;

  PacerUser& user_;
  Schedule schedule_;
  Instant from_;
  Instant until_;
  Instant next_;
};

}  // namespace eider::bench
