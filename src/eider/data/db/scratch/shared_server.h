// A temporary server that several test programs of a user share.
// Layering: must not know which database it is.
#pragma once

#include <string>

#include "eider/core/base/result.h"
#include "eider/data/db/scratch/cleanup_process.h"

namespace eider::detail::scratch {

/// Starts the server in a separate process, if no other program has done so. The server ends some
/// seconds after the last program that has joined it; this program counts until it exits.
///
/// name     the kind of server: "postgres"
/// returns  its location, as returned by `server.make`
/// errors   those of `server.make`, or why the lock file cannot be created
[[nodiscard]] Result<std::string, std::string> join_shared_server(const std::string& name,
                                                                  TemporaryResource& server);

}  // namespace eider::detail::scratch
