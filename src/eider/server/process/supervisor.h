// The supervisor: keeps the sockets, and starts and restarts the workers.
// Layering: must not serve itself, nor run code of the application: a crash there would end all.
#pragma once

#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// Returns how long a worker's loops may be blocked: from the options, or WatchdogSec=, or zero.
[[nodiscard]] Duration stuck_time(const ServerOptions& options);

/// The supervisor's knowledge about the application; it runs none of its code.
struct Supervised {
  /// Whether to send SIGHUP to the workers; otherwise it is ignored.
  bool can_reload = false;
  /// The time that the application may take to stop after the drain.
  Duration stops_within = Duration::zero();
};

/// Serves with `options.workers` processes of this program, until SIGTERM or SIGINT, or until
/// another process has taken over after SIGUSR2. A worker that ends is restarted: at once the first
/// time, with increasing pauses if it keeps ending. After a stop, workers that hang are killed when
/// they should have finished; a second signal kills all. Pre: called on the program's first thread,
/// and the program's main reaches App::serve again if it is started with the same command line.
///
/// errors  an address cannot be bound, or a worker did not start: the reason
[[nodiscard]] Result<void> supervise(const ServerOptions& options, const Supervised& supervised);

}  // namespace eider::detail::server
