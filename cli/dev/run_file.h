// The command `eider run`: a single source, without a project, compiled and run.
// Must not be how a program is shipped: it is built for development.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace eider::dev {

/// words    those behind the command's name
/// returns  1 not built, 2 misused; else the process becomes the program
[[nodiscard]] int run_file(std::span<const std::string_view> words);

/// The components whose headers a source includes, beside core.
[[nodiscard]] std::set<std::string> components_of(std::string_view source);

}  // namespace eider::dev
