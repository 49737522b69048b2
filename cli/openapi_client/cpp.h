// Generates a C++ client: one header with plain structs and a class, using the component `client`.
// Layering: must escape everything from the document.
#pragma once

#include <string>
#include <string_view>

#include "cli/openapi_client/api.h"

namespace eider::openapi_client {

/// Returns whether it is an identifier, and not a keyword.
[[nodiscard]] bool is_cpp_name(std::string_view text);

/// Generates a type for each component, and a class `Client` with a function for each call, which
/// returns a Task<Result<T>>. A json::Value replaces types that plain structs cannot express.
///
/// space   the namespace: identifiers separated by "::"
/// errors  "/components/schemas: references make …": recursive schemas would make the header too
///         large
[[nodiscard]] Result<std::string, std::string> to_cpp(const Api& api, std::string_view space);

}  // namespace eider::openapi_client
