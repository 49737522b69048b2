// The names of test databases, and which of them are unused.
// Layering: must not connect to a server.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/migrations/migrations.h"

namespace eider::detail::scratch {

/// The beginning of the names of all databases that tests on this machine have made.
[[nodiscard]] std::string test_prefix();
/// Another one each time: "eider_test_HOST_PROCESS_NUMBER".
[[nodiscard]] std::string next_test_name();
/// Those of `names` that were made by a process that has ended, or by this one long ago: it has
/// made `kTestDatabasesKept` others since.
[[nodiscard]] std::vector<std::string> unused_of(const std::vector<std::string>& names);
inline constexpr unsigned kTestDatabasesKept = 16;
/// The same for the same migrations.
[[nodiscard]] std::string template_name(const Migrations& migrations);

/// What the environment variable says: where the tests' server is; empty: none.
[[nodiscard]] std::string server_of_environment(const char* variable);

}  // namespace eider::detail::scratch
