// Reads a request from a line of JSON.
// Layering: must not know other lines or files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::bench {

/// Whom a run asks: "http" or "https", and the Host field's value.
struct Origin {
  std::string_view scheme = "http";
  std::string_view authority;
};

/// fields  "Name: value"
struct JsonRequest {
  std::string method;
  std::string target;
  std::vector<std::string> fields;
  std::string body;
};

/// Reads {"method": …, "path" or "url": …, "headers": {name: text, …}, "body": …}. All but path or
/// url may be missing. The method is GET, or POST with a body. A body that is a text is sent as it
/// is; any other value as JSON, with a Content-Type unless the headers have one.
///
/// line     an object, without a line's end
/// origin   what a url has to be of
/// errors   a sentence that names the key, or the byte where it is no JSON
/// cost     allocates
[[nodiscard]] Result<JsonRequest, std::string> read_json_request(std::string_view line,
                                                                 const Origin& origin);

}  // namespace eider::bench
