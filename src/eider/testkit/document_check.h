// Validates the responses of an application against its OpenAPI document, in tests.
// Layering: must not know how the document was made.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/json/value.h"
#include "eider/protocols/http/method.h"
#include "eider/testkit/test_response.h"

namespace eider {

/// Settings for the validation of responses against the OpenAPI document.
struct DocumentCheck {
  /// Path of the document; requested once at startup.
  std::string path = "/openapi.json";
  /// Prefix of the paths to validate, as for OpenApiInfo: other responses are not validated.
  std::string below = {};
  /// Prefixes of other paths that the document does not contain.
  std::vector<std::string> excluded_paths = {};
  /// Status codes that all operations can return without being documented, for example 403 or 429
  /// from middleware.
  std::vector<int> allowed_statuses = {};
};

/// Returns the differences between a response and an OpenAPI document (3.1), one per line. They are
/// about the operation, the status, the content type, or the part of a value that does not match
/// its schema. Values are JSON, JSON lines, CBOR, MessagePack and server-sent events. Empty if the
/// response matches.
///
/// Members that the request did not select with a parameter with "x-selects" (select_fields) can be
/// missing.
///
/// A 404 of a path without operation matches, a 405 of a method without operation, and OPTIONS.
/// Methods that OpenAPI does not support are skipped. Encoded bodies are not read.
///
/// target   as in the request line
/// source   OpenAPI Specification 3.1.1
[[nodiscard]] std::vector<std::string> check_response(const json::Value& document, Method method,
                                                      std::string_view target,
                                                      const TestResponse& reply,
                                                      const DocumentCheck& check = {});

}  // namespace eider
