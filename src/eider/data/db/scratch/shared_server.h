// A temporary server that several test programs of a user share.
// Layering: must not know which database it is.
#pragma once

#include <string>

#include "eider/core/base/result.h"
#include "eider/data/db/scratch/cleanup_process.h"

namespace eider::detail::scratch {

/// Starts it in a process of its own if no other program has done so. It ends some seconds after
/// the last program that has joined it; this one counts until it exits.
///
/// name     of the kind of server: "postgres"
/// returns  where it is, as `server.make` returns it
/// errors   what `server.make` says, or why there is no place for the lock file
[[nodiscard]] Result<std::string, std::string> join_shared_server(const std::string& name,
                                                                  TemporaryResource& server);

}  // namespace eider::detail::scratch
