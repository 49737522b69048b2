// The command `eider dev`: a project that is built, run and shown again when something is saved.
// Must not be run for others to use: what it shows is for developers.
#pragma once

#include <span>
#include <string_view>

namespace eider::dev {

/// words    those behind the command's name
/// returns  the exit code: 0 ended by Ctrl-C or SIGTERM, 1 not begun, 2 misused
[[nodiscard]] int command(std::span<const std::string_view> words);

}  // namespace eider::dev
