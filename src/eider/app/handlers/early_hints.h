// Header fields that are sent before the response, with status 103 (RFC 8297).
// Layering: valid only while the handler runs.
#pragma once

#include <string_view>

#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// Sends early hints; a parameter of handlers:
///
///     hints.link("</style.css>; rel=preload; as=style").send();
///
/// Nothing is sent to HTTP/1.0 clients, or after a blocking handler has started.
class EarlyHints {
 public:
  explicit EarlyHints(const Request& request) noexcept : request_(&request) {}

  /// Adds a Link header (RFC 8288). Throws std::invalid_argument like Response::add_header.
  EarlyHints& link(std::string_view value) { return add_header("Link", value); }
  EarlyHints& add_header(std::string_view name, std::string_view value) {
    fields_.add_header(name, value);
    return *this;
  }
  /// Sends `103 Early Hints` with the headers that were added since the last call.
  void send() {
    if (Peer* peer = request_->peer()) {
      peer->inform(kStatus, fields_.field_lines());
    }
    fields_.reset();
  }

 private:
  static constexpr int kStatus = 103;

  const Request* request_;
  Response fields_;
};

}  // namespace eider
