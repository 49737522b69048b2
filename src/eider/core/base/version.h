// The version of Eider.
// Layering: must not be sent to clients.
#pragma once

#include <string_view>

namespace eider {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace eider
