// `eider add`: something more in a project.
// Must not overwrite a file, nor change more of one than it says.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// returns  the exit code
[[nodiscard]] int add_command(std::span<const std::string_view> arguments);

}  // namespace eider
