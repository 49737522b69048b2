// The option --openapi of programs that do not serve an OpenAPI document.
// Layering: must not know OpenAPI; web/openapi defines the function.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/operation.h"

namespace eider::detail::app {

/// Returns the OpenAPI document of all routes.
///
/// program  its title; empty: the default
[[nodiscard]] std::string openapi_of(const std::vector<Operation>& operations,
                                     const std::string& program);

}  // namespace eider::detail::app
