// Generates a TypeScript client: one module without dependencies that uses fetch.
// Layering: must escape everything from the document.
#pragma once

#include <string>

#include "cli/openapi_client/api.h"

namespace eider::openapi_client {

/// Generates a type for each component, and a class `Client` with a function for each call. The
/// client's other code is the same for all documents.
[[nodiscard]] std::string to_typescript(const Api& api);

}  // namespace eider::openapi_client
