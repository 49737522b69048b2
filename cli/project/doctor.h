// `eider doctor`: whether this machine can build and serve, and what is missing.
// Must not look by itself: findings.h does.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// returns  the exit code
[[nodiscard]] int doctor_command(std::span<const std::string_view> arguments);

}  // namespace eider
