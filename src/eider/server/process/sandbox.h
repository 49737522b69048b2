// The sandbox: limits files with Landlock and system calls with seccomp.
// Layering: must not be left again; it also applies to the programs that this process starts.
#pragma once

#include <string>

#include "eider/core/base/result.h"
#include "eider/server/server.h"

namespace eider::detail::server {

/// As the options ask. What the library and the loader read is added to the paths; programs may be
/// started where SIGUSR2 may start the next process, from this program's directory alone. A process
/// that was started within it is held already. Pre: rights are dropped, and no loop runs
///
/// errors  a path is not there, the kernel lacks a part that is required, or a thread runs already
///         that would not be held: with the mend
[[nodiscard]] Result<void> enter_sandbox(const ServerOptions& options);

/// A directory; of a file the directory, since it may be replaced in it, as by
/// `mv`; the file itself where that is the root, or right below it, and holds what is anybody's.
[[nodiscard]] std::string sandbox_place_of(const std::string& file);

}  // namespace eider::detail::server
