// The name of one request, by which its answer is found in logs.
// Must not be a secret: anybody is told.
#pragma once

#include "eider/app/handlers/middleware.h"

namespace eider {

struct RequestIdOptions {
  /// A request's own X-Request-Id is its name, where that is 1 to 64 letters, digits, '-', '_' and
  /// '.': for a service behind a proxy that gives names. Anybody else could give one name to many
  /// requests, or another's.
  bool takes_incoming = false;
};

/// Gives each request a name of 16 hexadecimal digits, which is unique and not secret: X-Request-Id
/// of its answer, Slot<RequestId> for handlers, and a part of the lines that the app and
/// `access_log` write about it.
///
/// A request that is refused ahead of hooks, or cannot be read, has a name in its answer alone.
[[nodiscard]] Hook request_id(RequestIdOptions options = {});

}  // namespace eider
