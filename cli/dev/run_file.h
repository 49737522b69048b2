// The command `eider run`: compiles and runs a single source file without a project.
// Layering: for development; must not be used to ship programs.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace eider::dev {

/// Returns the components whose headers a source includes, except core.
[[nodiscard]] std::set<std::string> components_of(std::string_view source);

}  // namespace eider::dev
