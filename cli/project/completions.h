// `eider completions`: what shells read to complete the command line.
// Must not list options: each command's --help has them, and is asked.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// returns  the exit code
[[nodiscard]] int completions_command(std::span<const std::string_view> arguments);

}  // namespace eider
