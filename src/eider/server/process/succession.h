// Zero-downtime upgrade: on SIGUSR2, a new process takes over the sockets.
// Layering: must not drain anything: its owner does, after the takeover.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/signals.h"
#include "eider/io/runtime/time.h"
#include "eider/server/process/child_process.h"
#include "eider/server/process/systemd_notify.h"
#include "eider/server/process/upgrade_word.h"

namespace eider {

class LogSink;

namespace detail::server {

/// Called on the first loop's thread.
class SuccessionOwner {
 public:
  /// Returns, as a clause, why no upgrade is possible now; empty if it is possible.
  [[nodiscard]] virtual std::string_view why_not_now() const noexcept = 0;
  /// Returns the listening sockets.
  [[nodiscard]] virtual std::vector<SocketsAt> sockets() const = 0;
  /// Called when another process listens at those addresses and has replaced this one.
  virtual void on_succeeded(const std::vector<std::string>& places) = 0;

 protected:
  ~SuccessionOwner() = default;
};

class Succession final : private SignalWatch, private ChildOwner {
 public:
  /// within  the time limit for a new process to become ready
  /// log     may be null. Everything passed must outlive this
  Succession(Loop& loop, SuccessionOwner& owner, const SystemdNotify& systemd, Duration within,
             LogSink* log);
  ~Succession() = default;
  Succession(const Succession&) = delete;
  Succession& operator=(const Succession&) = delete;

  /// Called when this process stops: also stops a new process that is starting.
  void give_up() noexcept;

 private:
  void on_signal(int number) override;
  void on_accepting(pid_t process, const std::vector<std::string>& places) override;
  void on_ended(std::string_view why) override;
  void stay(std::string_view why);
  void report(pid_t successor, std::string_view why) noexcept;

  SuccessionOwner& owner_;
  const SystemdNotify& systemd_;
  const Duration within_;
  LogSink* log_;
  std::vector<UpgradeTicket> waiting_;
  ChildProcess successor_;
};

}  // namespace detail::server
}  // namespace eider
