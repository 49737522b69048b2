// Notifies systemd (sd_notify(3)): ready, stopping, watchdog.
// Layering: must not fail the service: messages that cannot be sent are dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::server {

/// From any thread.
class SystemdNotify {
 public:
  /// Tells nobody.
  SystemdNotify() = default;
  /// To whom NOTIFY_SOCKET says, and how often by WATCHDOG_USEC and WATCHDOG_PID. Pre: no other
  /// thread changes the environment
  [[nodiscard]] static SystemdNotify from_environment();

  /// Zero: nobody watches.
  [[nodiscard]] Duration watchdog_time() const noexcept { return watchdog_time_; }

  /// Lines of "NAME=value"; gives up where systemd does not take them at once.
  void tell(std::string_view lines) const noexcept;
  /// The same, waits up to five seconds. Pre: on no loop's thread
  void tell_and_wait(std::string_view lines) const noexcept;
  /// The same, with descriptors: at most 253.
  ///
  /// returns  whether systemd has them, or will; false also where nobody listens
  bool give_and_wait(std::string_view lines, std::span<const int> descriptors) const noexcept;

 private:
  bool send(std::string_view lines, std::span<const int> descriptors, int flags) const noexcept;

  std::string path_;  // "@name" is abstract
  Duration watchdog_time_ = Duration::zero();
};

/// Tells that the service lives when each of its loops has turned since it was told last: one that
/// is stuck lets the time of whoever watches run out.
class LoopWatchdog {
 public:
  /// To systemd, in its time. notify  outlives it
  LoopWatchdog(const SystemdNotify& notify, std::size_t loops);
  /// within  of the one who watches; zero: nobody does
  /// tell    called on any of the loops' threads
  LoopWatchdog(Duration within, std::function<void()> tell, std::size_t loops);

  [[nodiscard]] bool is_wanted() const noexcept { return pause_ != Duration::zero(); }
  /// On the loop of that index, for as long as it serves. Pre: is_wanted
  [[nodiscard]] Task<> watch(std::size_t index);

 private:
  void on_turned(std::size_t index);

  const std::function<void()> tell_;
  const Duration pause_;
  std::mutex mutex_;  // guards what follows
  std::vector<bool> has_turned_;
  std::size_t left_;
};

}  // namespace eider::detail::server
