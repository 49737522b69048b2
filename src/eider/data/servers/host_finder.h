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

  /// Empty if no name was found. A Unix socket that is not there is skipped if there are other
  /// hosts.
  [[nodiscard]] Task<std::vector<Host>> find(std::vector<Host> hosts);
  /// Each failure to connect moves the first host to the end: a host that does not answer uses the
  /// time of the others.
  void note_failure() noexcept { ++failures_; }

 private:
  [[nodiscard]] Task<> look_up(const Host& host, std::vector<Host>& found);

  Loop& loop_;
  std::unique_ptr<net::Dns> dns_{};  // made for the first name
  std::size_t failures_ = 0;
};

}  // namespace eider::detail::servers
