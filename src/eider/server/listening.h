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
  /// The address as in the options, such as "127.0.0.1:0": a new process finds the sockets by it.
  std::string name;
  std::vector<int> sockets;
  /// Whether this process must close the sockets; false if systemd owns them.
  bool is_own = true;
};

/// The host of a server without an address. The command line cannot contain it.
inline constexpr std::string_view kNoAddress("\0none", 5);

/// Returns "Eider serves on http://127.0.0.1:8080, unix:/path", for the log.
[[nodiscard]] std::string serving_text(std::span<const std::string> urls);

/// Returns "http://127.0.0.1:8080", "https://…", or the path of a Unix socket.
[[nodiscard]] std::string url_of(const BoundPlace& place);

/// Listens at all addresses. On a port, each host gets its own listener. A Unix path, or a socket
/// passed by systemd, has one listener, and its host hands connections over to other loops. Sockets
/// of the previous process are reused, all of them, because each has waiting connections.
///
/// returns  the bound addresses, with the kernel's choice for port 0; none for kNoAddress
/// errors   the detail names the address, the reason and the solution
[[nodiscard]] Result<std::vector<BoundPlace>> listen(std::span<ListeningHost* const> hosts,
                                                     const ServerOptions& options,
                                                     Predecessor& predecessor);

/// Gives further workers their own listener, if the previous process had fewer threads. Call it
/// only after that process is no longer in charge, because closing such a listener loses clients.
/// Call it on a thread of no worker, while the workers run. Listeners that cannot be created are
/// omitted.
void listen_on_all(std::span<Worker* const> workers, std::span<Loop* const> loops,
                   const ServerOptions& options, BoundPlace& place);

}  // namespace eider::detail::server
