// Limits the duration of handlers and the number of concurrent requests.
// Layering: must not limit connections, headers or bodies; Limits and body_bytes_max of the server
// do.
#pragma once

#include <chrono>
#include <cstdint>

#include "eider/app/handlers/middleware.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// Cancels a handler that has not responded within `limit`, and responds with 503. Its pending
/// operations are canceled as if the client had disconnected. A stream has responded when it
/// starts. A `blocking` handler cannot be canceled: it runs to its end, and the response is late.
///
///     app.get("/report", make_report).use(timeout(5s));
///
/// The time starts after guards and reading the body, which have other limits (with_deadline,
/// Limits). Throws a Failure if the limit is not positive.
[[nodiscard]] Middleware timeout(Duration limit);

struct ConcurrencyLimit {
  /// Number of concurrent requests, from the headers to the last byte of the response.
  std::uint32_t requests = 256;
  /// Value of Retry-After in rejected requests.
  std::chrono::seconds retry_after = std::chrono::seconds(1);
};

/// Rejects requests above the limit immediately with 503 and Retry-After, before guards run and the
/// body is read, so that queues cannot grow without bound under overload. All event loops of the
/// process count together; each use of the middleware counts separately. A WebSocket counts until
/// it is open.
///
/// Throws a Failure if the limit is 0.
[[nodiscard]] Hook concurrency_limit(ConcurrencyLimit limit = {});

}  // namespace eider
