// Reads a request from a line of JSON.
// Layering: must not know other lines or files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider::bench {

/// Target of a run: "http" or "https", and the value of the Host header.
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

/// Reads {"method": …, "path" or "url": …, "headers": {name: text, …}, "body": …}. Only path or url
/// is required. Default method: GET, or POST with a body. A string is sent as the body unchanged;
/// any other value is sent as JSON, with a Content-Type unless the headers contain one.
///
/// line     an object, without a line end
/// origin   required origin of a url
/// errors   a sentence that names the key, or the byte of a JSON error
/// cost     allocates
[[nodiscard]] Result<JsonRequest, std::string> read_json_request(std::string_view line,
                                                                 const Origin& origin);

}  // namespace eider::bench
