// The command `eider views`: templates into C++.
// Must not know what stands in a template: views/ does.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// arguments  those behind the command's name
/// returns    the exit status: 0 written, 1 not, 2 misused
[[nodiscard]] int views_command(std::span<const std::string_view> arguments);

}  // namespace eider
