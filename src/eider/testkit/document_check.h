// Answers held against an application's OpenAPI document, in its tests.
// Must not know how the document was made: what counts is what clients are given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/json/value.h"
#include "eider/protocols/http/method.h"
#include "eider/testkit/reply.h"

namespace eider {

/// What of an application's answers its document has to know.
struct DocumentCheck {
  /// Where the app serves it; it is asked for there, once, as a client asks.
  std::string path = "/openapi.json";
  /// As of OpenApiInfo: what does not lie below is not told, and so not held against it.
  std::string below = {};
  /// What else is left out of the document: whatever begins with one of these.
  std::vector<std::string> leaves_out = {};
  /// Statuses that may come from any operation, though none names them: of what stands ahead of
  /// handlers, such as 403 or 429.
  std::vector<int> may_answer = {};
};

/// What an OpenAPI document (3.1) does not say of an answer that was given: the operation, its
/// status, the content's type, or, of JSON, of lines of JSON, of CBOR, of MessagePack and of
/// server-sent events, where and why the value is not as the schema has it. A line for each, empty
/// where all is as it is told.
///
/// Members that the request has not asked for, by a parameter with "x-selects" (select_fields), may
/// be missing.
///
/// Of a path without an operation 404 is as told, of a method without one 405, and OPTIONS; methods
/// that OpenAPI does not know are passed over. Content that is encoded is not looked into.
///
/// target   as in the request line
/// source   OpenAPI Specification 3.1.1
[[nodiscard]] std::vector<std::string> check_answer(const json::Value& document, Method method,
                                                    std::string_view target, const Reply& reply,
                                                    const DocumentCheck& check = {});

}  // namespace eider
