// The names of test databases, and which of them are unused.
// Layering: must not connect to a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/migrations/migrations.h"

namespace eider::detail::scratch {

/// Returns the prefix of all database names that tests on this machine use.
[[nodiscard]] std::string test_prefix();
/// Returns a new name at each call: "eider_test_HOST_PROCESS_NUMBER".
[[nodiscard]] std::string next_test_name();
/// Returns those of `names` that a process has created that has ended, or this one before it
/// created `kTestDatabasesKept` others.
[[nodiscard]] std::vector<std::string> unused_of(const std::vector<std::string>& names);
inline constexpr unsigned kTestDatabasesKept = 16;
/// Returns the same name for the same migrations.
[[nodiscard]] std::string template_name(const Migrations& migrations);

/// Returns the server for tests from an environment variable; empty: none.
[[nodiscard]] std::string server_of_environment(const char* variable);

}  // namespace eider::detail::scratch
