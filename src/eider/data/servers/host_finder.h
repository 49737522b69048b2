// Chooses the host and address of the next connection attempt.
// Layering: must not block for name resolution.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "eider/data/servers/server_url.h"
#include "eider/io/net/dns.h"
#include "eider/io/runtime/task.h"

namespace eider::detail::servers {

class HostFinder {
 public:
  explicit HostFinder(Loop& loop) noexcept : loop_(loop) {}

  /// Returns the hosts to try; empty if no name was found. A Unix socket that does not exist is
  /// skipped if there are other hosts.
  [[nodiscard]] Task<std::vector<Host>> find(std::vector<Host> hosts);
  /// Moves the first host to the end after a failure to connect: a host that does not respond uses
  /// up the time of the others.
  void note_failure() noexcept { ++failures_; }

 private:
  [[nodiscard]] Task<> look_up(const Host& host, std::vector<Host>& found);

  Loop& loop_;
  std::unique_ptr<net::Dns> dns_{};  // made for the first name
  std::size_t failures_ = 0;
};

}  // namespace eider::detail::servers
