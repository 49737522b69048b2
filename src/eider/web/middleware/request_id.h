// Request IDs, to find a response in the log.
// Layering: must not be secret; each client gets its ID.
#pragma once

#include "eider/app/handlers/middleware.h"

namespace eider {

struct RequestIdOptions {
  /// Uses the request's own X-Request-Id if it has 1 to 64 letters, digits, '-', '_' and '.': for a
  /// service after a proxy that sets IDs. Without such a proxy, clients could reuse IDs.
  bool accepts_incoming = false;
};

/// Assigns each request a unique, non-secret ID of 16 hexadecimal digits. It is in X-Request-Id of
/// the response, in Extension<RequestId> for handlers, and in the log lines of the app and of
/// `access_log`.
///
/// If a request is rejected before hooks run, or cannot be read, the ID is only in the response.
[[nodiscard]] Hook request_id(RequestIdOptions options = {});

}  // namespace eider
