// The commands within a project: build, test, check, fmt, routes.
// Must not make or change a project: new.h and add.h do.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace eider {

/// Each returns the exit code.
[[nodiscard]] int build_command(std::span<const std::string_view> arguments);
[[nodiscard]] int test_command(std::span<const std::string_view> arguments);
[[nodiscard]] int check_command(std::span<const std::string_view> arguments);
[[nodiscard]] int fmt_command(std::span<const std::string_view> arguments);
[[nodiscard]] int routes_command(std::span<const std::string_view> arguments);
/// `eider openapi document`.
[[nodiscard]] int document_command(std::span<const std::string_view> arguments);

}  // namespace eider
