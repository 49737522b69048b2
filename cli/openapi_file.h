// A document in a file, as the commands about documents take it.
// Must not judge more than that it is JSON: what a document is, each command knows.
#pragma once

#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/core/json/value.h"

namespace eider {

/// file    "-" is the standard input
/// errors  "cannot read x.json: …", "x.json is no JSON: …"
[[nodiscard]] Result<json::Value, std::string> read_openapi_file(std::string_view file);

}  // namespace eider
