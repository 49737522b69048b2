// Generates a C++ client: one header with plain structs and a class, using the component `client`.
// Layering: must escape everything from the document.
#pragma once

#include <string>
#include <string_view>

#include "cli/openapi_client/api.h"

namespace eider::openapi_client {

/// An identifier that is no word of the language.
[[nodiscard]] bool is_cpp_name(std::string_view text);

/// A type for each component, and a class `Client` with a function for each call, which returns a
/// Task<Result<T>>. What plain structs cannot say is a json::Value.
///
/// space   the namespace: identifiers with "::" between them
/// errors  "/components/schemas: references make …": where schemas that refer to each other would
///         make a header out of all proportion
[[nodiscard]] Result<std::string, std::string> to_cpp(const Api& api, std::string_view space);

}  // namespace eider::openapi_client
