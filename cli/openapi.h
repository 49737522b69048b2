// `eider openapi`: what is done with an API's document.
// Must not read documents: openapi_client.h and openapi_diff.h do.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// returns  the exit code
[[nodiscard]] int openapi_command(std::span<const std::string_view> arguments);

}  // namespace eider
