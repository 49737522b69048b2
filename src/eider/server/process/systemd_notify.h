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

/// Thread-safe.
class SystemdNotify {
 public:
  /// Notifies nothing.
  SystemdNotify() = default;
  /// Uses the socket of NOTIFY_SOCKET, and the interval of WATCHDOG_USEC and WATCHDOG_PID. Pre: no
  /// other thread changes the environment
  [[nodiscard]] static SystemdNotify from_environment();

  /// Zero: no watchdog.
  [[nodiscard]] Duration watchdog_time() const noexcept { return watchdog_time_; }

  /// Sends lines of "NAME=value"; drops them if systemd does not accept them at once.
  void tell(std::string_view lines) const noexcept;
  /// The same, but waits for up to five seconds. Pre: not on a loop's thread
  void tell_and_wait(std::string_view lines) const noexcept;
  /// The same, with at most 253 descriptors.
  ///
  /// returns  whether systemd has them, or will; false if there is no socket
  bool give_and_wait(std::string_view lines, std::span<const int> descriptors) const noexcept;

 private:
  bool send(std::string_view lines, std::span<const int> descriptors, int flags) const noexcept;

  std::string path_;  // "@name" is an abstract socket
  Duration watchdog_time_ = Duration::zero();
};

/// Sends a heartbeat when each of the loops has run since the last one. If a loop is blocked, there
/// is no heartbeat, and the watchdog's time runs out.
class LoopWatchdog {
 public:
  /// For systemd, with its interval. notify  must outlive this
  LoopWatchdog(const SystemdNotify& notify, std::size_t loops);
  /// within  the interval of the watcher; zero: none
  /// tell    called on any of the loops' threads
  LoopWatchdog(Duration within, std::function<void()> tell, std::size_t loops);

  [[nodiscard]] bool is_wanted() const noexcept { return pause_ != Duration::zero(); }
  /// Runs on the loop with that index, as long as it serves. Pre: is_wanted
  [[nodiscard]] Task<> watch(std::size_t index);

 private:
  void on_turned(std::size_t index);

  const std::function<void()> tell_;
  const Duration pause_;
  std::mutex mutex_;  // guards the members below
  std::vector<bool> has_turned_;
  std::size_t left_;
};

}  // namespace eider::detail::server
