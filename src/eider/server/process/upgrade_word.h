// Reports the outcome of an upgrade to the `eider upgrade` that requested it with SIGUSR2.
// Layering: must not believe, or send anything to, a process of another user.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/result.h"
#include "eider/io/runtime/descriptor.h"

namespace eider::detail::server {

/// successor  the process that serves from now on; 0: none
/// why        why there is no successor, as a clause
struct UpgradeOutcome {
  pid_t successor = 0;
  std::string why{};
};

/// A random number that the sender attaches to SIGUSR2: it names the socket for the report. 0: the
/// sender does not wait for a report.
using UpgradeTicket = std::uintptr_t;

/// A text that is part of each program that understands SIGUSR2.
[[nodiscard]] std::string_view upgrade_mark() noexcept;

/// Sends the outcome if the process that waits there is of root or of this process's user. Never
/// waits.
void report_upgrade(UpgradeTicket ticket, pid_t successor, std::string_view why) noexcept;

/// One request for an upgrade, by a process on the same machine. If containers separate the two,
/// they must share the network.
class UpgradeRequest {
 public:
  /// errors   the socket for the report cannot be created: why
  [[nodiscard]] static Result<UpgradeRequest, std::string> make(pid_t service);

  /// Sends SIGUSR2 with the ticket. On failure errno has the cause.
  ///
  /// held  a pidfd of the service
  [[nodiscard]] bool send(const Descriptor& held) const noexcept;
  [[nodiscard]] UpgradeTicket ticket() const noexcept { return ticket_; }
  /// Readable when a report may have arrived.
  [[nodiscard]] int fd() const noexcept {
    return connection_.is_open() ? connection_.get() : socket_.get();
  }
  /// Returns the report, if it has arrived. Never waits. Reports of other processes than the
  /// service are ignored.
  [[nodiscard]] std::optional<UpgradeOutcome> outcome();

 private:
  UpgradeRequest(pid_t service, UpgradeTicket ticket, Descriptor socket) noexcept
      : service_(service), ticket_(ticket), socket_(std::move(socket)) {}

  pid_t service_;
  UpgradeTicket ticket_;
  Descriptor socket_;
  Descriptor connection_;  // from the service
};

}  // namespace eider::detail::server
