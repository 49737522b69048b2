// Databases for tests: a temporary server that several programs share, names, and a loop for tasks.
// Layering: must not know which database it is, and must not be used within a server.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/migrations/migrations.h"
#include "eider/data/db/scratch/cleanup_process.h"
#include "eider/io/runtime/task.h"

namespace eider::detail::scratch {

/// Starts the server in a separate process, if no other program has done so. The server ends some
/// seconds after the last program that has joined it; this program counts until it exits.
///
/// name     the kind of server: "postgres"
/// returns  its location, as returned by `server.make`
/// errors   those of `server.make`, or why the lock file cannot be created
[[nodiscard]] Result<std::string, std::string> join_shared_server(const std::string& name,
                                                                  TemporaryResource& server);

/// Returns the server for tests from an environment variable; empty: none.
[[nodiscard]] std::string server_of_environment(const char* variable);

/// Returns a new name at each call: "eider_test_HOST_PROCESS_NUMBER".
[[nodiscard]] std::string next_test_name();
/// Returns those of `names` that a process has created that has ended, or this one before it
/// created `kTestDatabasesKept` others.
[[nodiscard]] std::vector<std::string> unused_of(const std::vector<std::string>& names);
inline constexpr unsigned kTestDatabasesKept = 16;
/// Returns the same name for the same migrations.
[[nodiscard]] std::string template_name(const Migrations& migrations);

using Step = std::function<Task<Result<void, std::string>>()>;

/// Runs a task to completion on its own thread and event loop.
///
/// errors   what the task returns, or the text of the exception that it throws
[[nodiscard]] Result<void, std::string> on_own_loop(const Step& step);

}  // namespace eider::detail::scratch
