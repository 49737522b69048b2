// The requests of a run, prepared as bytes before it starts.
// Layering: must not open connections.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bench/json_request.h"
#include "cli/bench/options.h"
#include "eider/core/base/result.h"
#include "eider/protocols/http/method.h"

namespace eider::bench {

/// A request for HTTP/2: the pseudo-header fields but the scheme, and the others in lower case.
struct RequestParts {
  std::string method;
  std::string target;
  std::string authority;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
};

/// text     a whole HTTP/1.1 request
/// method   changes where the response ends
/// parts    the same for HTTP/2; of a WebSocket's message the body alone
/// is_last  its text says `Connection: close`: none may follow it (RFC 9112, section 9.6)
struct Request {
  std::string text;
  Method method = Method::get;
  RequestParts parts = {};
  bool is_last = false;
};

/// What stands in one line of a file of requests, or on the command line.
struct Asked {
  std::string_view method;
  /// As it stands in the request line: "/notes?page=2".
  std::string_view target;
  std::string_view body;
};

/// Reads "METHOD TARGET [BODY]": one blank between each; the body is the rest of the line.
///
/// errors   a sentence that says what is wrong
[[nodiscard]] Result<Asked, std::string> read_request_line(std::string_view line);

/// The request as bytes. Content-Length stands where there is a body, and where the method expects
/// one (RFC 9110, section 8.6).
///
/// authority  for the Host field, unless `fields` has one
/// fields     "Name: value"
[[nodiscard]] std::string request_text(const Asked& asked, std::string_view authority,
                                       const std::vector<std::string>& fields);

/// The requests of a file's text, in their order: lines as read_request_line has them, or objects
/// (json_request.h), whose headers replace those of `fields` that have their names.
///
/// errors   a sentence with the number of the line; also when there is no request at all
[[nodiscard]] Result<std::vector<Request>, std::string> read_requests(
    std::string_view text, const Origin& origin, const std::vector<std::string>& fields);

/// All that the options ask for: one request to `target`, or those of the file; one message where
/// they ask for a WebSocket.
///
/// errors   a sentence: a file that cannot be read, what read_requests says about it, text that is
///          no UTF-8, or headers that belong to the WebSocket's handshake
[[nodiscard]] Result<std::vector<Request>, std::string> make_requests(const Options& options,
                                                                      const Origin& origin,
                                                                      std::string_view target);

}  // namespace eider::bench
