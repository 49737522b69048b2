// Binds all workers of a server to its addresses, and explains failures.
// Layering: must not run anything.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/address.h"
#include "eider/server/server.h"

namespace eider::detail::server {

class ListeningHost;
class Predecessor;
class Worker;

struct BoundPlace {
  SocketAddress address;
  bool is_secure = false;
  /// As the options have it, "127.0.0.1:0": what a further process knows it by.
  std::string name;
  std::vector<int> sockets;
  /// Whoever binds it is to close it; else others are: systemd.
  bool is_own = true;
};

/// The host of a server without an address. The command line cannot contain it.
inline constexpr std::string_view kNoAddress("\0none", 5);

/// "Eider serves on http://127.0.0.1:8080, unix:/path", for the log.
[[nodiscard]] std::string serving_text(std::span<const std::string> urls);

/// "http://127.0.0.1:8080", "https://…"; a Unix socket as it is.
[[nodiscard]] std::string url_of(const BoundPlace& place);

/// Each host gets a listener of its own on a port; a Unix path, and a socket passed on by
/// systemd, has one listener, whose host gives connections away. What the process before this one
/// listens with is taken as it is, every socket of it: each has connections waiting.
///
/// returns  what is bound, nothing for kNoAddress, with the ports that the kernel chose for port 0
/// errors   the detail names the address, the reason and the mend
[[nodiscard]] Result<std::vector<BoundPlace>> listen(std::span<ListeningHost* const> hosts,
                                                     const ServerOptions& options,
                                                     Predecessor& predecessor);

/// Where the process before has had fewer threads: the others get a listener of their own. Only
/// once that process is out of charge, since clients are lost when such a listener goes. On the
/// thread of no worker, while they run; what cannot be had is left out.
void listen_on_all(std::span<Worker* const> workers, std::span<Loop* const> loops,
                   const ServerOptions& options, BoundPlace& place);

}  // namespace eider::detail::server
