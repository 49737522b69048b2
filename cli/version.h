// The version that the program tells.
// Must not be parsed: it is for people.
#pragma once

#include <string_view>

namespace eider {

/// "0.1.0", as the build says.
[[nodiscard]] std::string_view version() noexcept;

}  // namespace eider
