// The command `eider run`: a single source, without a project, compiled and run.
// Must not be how a program is shipped: it is built for development.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace eider::dev {

/// The components whose headers a source includes, beside core.
[[nodiscard]] std::set<std::string> components_of(std::string_view source);

}  // namespace eider::dev
