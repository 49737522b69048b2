// The requests of a run, prepared as bytes before it starts.
// Layering: must not open connections.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/options.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/method.h"

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

/// A request for HTTP/2: the pseudo-headers except the scheme, and the other headers in lower case.
struct RequestParts {
  std::string method;
  std::string target;
  std::string authority;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
};

/// text     a whole HTTP/1.1 request
/// method   determines where the response ends
/// parts    the same for HTTP/2; for a WebSocket message only the body
/// is_last  has `Connection: close`: no request may follow it (RFC 9112, section 9.6)
struct Request {
  std::string text;
  Method method = Method::get;
  RequestParts parts = {};
  bool is_last = false;
};

/// A line of a request file, or a request from the command line.
struct Asked {
  std::string_view method;
  /// As in the request line: "/notes?page=2".
  std::string_view target;
  std::string_view body;
};

/// Reads "METHOD TARGET [BODY]", separated by single spaces; the body is the rest of the line.
///
/// errors   a sentence that describes the error
[[nodiscard]] Result<Asked, std::string> read_request_line(std::string_view line);

/// Returns the request as bytes. It has a Content-Length if it has a body, or if the method expects
/// one (RFC 9110, section 8.6).
///
/// authority  for the Host header, unless `fields` contains one
/// fields     "Name: value"
[[nodiscard]] std::string request_text(const Asked& asked, std::string_view authority,
                                       const std::vector<std::string>& fields);

/// Reads the requests of a file in order: lines as for read_request_line, or objects
/// (read_json_request), whose headers replace those of `fields` with the same names.
///
/// errors   a sentence with the line number; also if there is no request
[[nodiscard]] Result<std::vector<Request>, std::string> read_requests(
    std::string_view text, const Origin& origin, const std::vector<std::string>& fields);

/// Creates all requests of the options: one request to `target`, or those of the file; for a
/// WebSocket, one message.
///
/// errors   a sentence: a file that cannot be read, an error of read_requests, text that is not
///          UTF-8, or headers that belong to the WebSocket handshake
[[nodiscard]] Result<std::vector<Request>, std::string> make_requests(const Options& options,
                                                                      const Origin& origin,
                                                                      std::string_view target);

}  // namespace eider::bench
