// Fields that a client may act on before the answer is there (RFC 8297).
// Must not be kept beyond the handler.
#pragma once

#include <string_view>

#include "eider/protocols/http/response.h"

namespace eider {

class Request;

/// A parameter of a handler:
///
///     hints.link("</style.css>; rel=preload; as=style").send();
///
/// Clients of HTTP/1.0 are told nothing, and neither is anybody once a blocking handler runs.
class EarlyHints {
 public:
  explicit EarlyHints(const Request& request) noexcept : request_(&request) {}

  /// Adds a Link field (RFC 8288). Throws std::invalid_argument as Response::add_header does.
  EarlyHints& link(std::string_view value) { return add_header("Link", value); }
  EarlyHints& add_header(std::string_view name, std::string_view value) {
    fields_.add_header(name, value);
    return *this;
  }
  /// Sends `103 Early Hints` with what was added since the last time.
  void send();

 private:
  const Request* request_;
  Response fields_;
};

}  // namespace eider
