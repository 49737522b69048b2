// Generates clients: one C++ header that uses the component `client`, or one TypeScript module that
// uses fetch.
// Layering: must escape everything from the document.
#pragma once

#include <string>
#include <string_view>

#include "cli/openapi_client/api.h"

namespace eider::openapi_client {

/// Returns whether it is an identifier, and not a keyword.
[[nodiscard]] bool is_cpp_name(std::string_view text);

/// Generates a C++ type for each component, and a class `Client` with a function for each call,
/// which returns a Task<Result<T>>. A json::Value replaces types that plain structs cannot express.
///
/// space   the namespace: identifiers separated by "::"
/// errors  "/components/schemas: references make …": recursive schemas would make the header too
///         large
[[nodiscard]] Result<std::string, std::string> to_cpp(const Api& api, std::string_view space);

/// Generates a TypeScript type for each component, and a class `Client` with a function for each
/// call. The client's other code is the same for all documents.
[[nodiscard]] std::string to_typescript(const Api& api);

}  // namespace eider::openapi_client
