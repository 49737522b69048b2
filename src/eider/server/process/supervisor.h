// The supervisor: keeps the sockets, and starts and restarts the workers.
// Layering: must not serve itself, nor run code of the application: a crash there would end all.
#pragma once

#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// How long a worker's loops may be silent: as the options say, else as the unit does, else zero.
[[nodiscard]] Duration stuck_time(const ServerOptions& options);

/// What the supervisor knows of the application, none of whose code it runs.
struct Supervised {
  /// SIGHUP goes to the workers; else nothing happens at it.
  bool can_reload = false;
  /// How long it may take to stop, behind the drain.
  Duration stops_within = Duration::zero();
};

/// Serves by `options.workers` processes of this program until SIGTERM or SIGINT, or until another
/// process has taken over by SIGUSR2. A worker that ends is started again: at once the first time,
/// with longer pauses where it goes on ending. Behind a stop, one that
/// hangs is killed when it could have finished; by a second signal, all are. Pre: called on the
/// program's first thread, and the program's main comes to App::serve again where it is started by
/// the same words.
///
/// errors  a place cannot be listened at, or a worker did not come up at the start: why
[[nodiscard]] Result<void> supervise(const ServerOptions& options, const Supervised& supervised);

}  // namespace eider::detail::server
