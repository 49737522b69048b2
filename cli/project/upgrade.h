// `eider upgrade`: asks a service that runs for a new process in its place, and waits for it.
// Must not start that process: the service does, and goes on serving where it does not come up.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// Returns the exit code.
[[nodiscard]] int upgrade_command(std::span<const std::string_view> arguments);

}  // namespace eider
