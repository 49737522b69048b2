// The sandbox: limits files with Landlock and system calls with seccomp.
// Layering: must not be left again; it also applies to the programs that this process starts.
#pragma once

#include <string>

#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// Enters the sandbox according to the options. The paths that the library and the loader read are
/// added. If SIGUSR2 may start the next process, programs may be started, but only from this
/// program's directory. A process that was started in the sandbox is already restricted. Pre:
/// privileges were dropped, and no loop runs
///
/// errors  a path does not exist, the kernel lacks a required part, or a thread already runs that
///         the sandbox would not include: with the solution
[[nodiscard]] Result<void> enter_sandbox(const ServerOptions& options);

/// Returns a directory as it is. Returns the directory of a file, since the file may be replaced in
/// it, for example by `mv`; but the file itself if its directory is the root or right below it,
/// such as /tmp, because other programs use those, too.
[[nodiscard]] std::string sandbox_place_of(const std::string& file);

}  // namespace eider::detail::server
