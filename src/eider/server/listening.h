// Binds all workers of a server to one address, and says what to do when that fails.
// Must not run anything.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "eider/base/result.h"
#include "eider/runtime/address.h"
#include "eider/server/server.h"

namespace eider::detail::server {

class Worker;

struct BoundPlace {
  Address address;
  bool is_secure = false;
};

/// Each worker gets a listener of its own on a port; a Unix path, and a socket passed on by
/// systemd, has one listener, whose worker gives connections away.
///
/// returns  what is bound, at least one, with the ports that the kernel chose for port 0
/// errors   the detail names the address, the reason and the mend
[[nodiscard]] Result<std::vector<BoundPlace>> listen(std::span<Worker* const> workers,
                                                     const ServerOptions& options);

}  // namespace eider::detail::server
