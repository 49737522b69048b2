// How long a handler may take, and how many requests may be at work at once.
// Must not bound connections, heads or content: the server's Limits and body_bytes_max do.
#pragma once

#include <chrono>
#include <cstdint>

#include "eider/app/handlers/middleware.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// A handler that has not answered within `limit` is destroyed where it waits, and the answer is a
/// 503. What it waits for is given up as when its client leaves; a stream has answered when it
/// begins. A `blocking` handler cannot be destroyed: it runs to its end, and answers late.
///
///     app.get("/report", make_report).use(timeout(5s));
///
/// The time begins behind guards and content: these have their own (with_deadline, Limits).
/// Throws a Failure for no time.
[[nodiscard]] Around timeout(Duration limit);

struct ConcurrencyLimit {
  /// From the request's head to the last byte of its answer.
  std::uint32_t requests = 256;
  /// What a client that comes too much is told to wait.
  std::chrono::seconds retry_after = std::chrono::seconds(1);
};

/// Requests beyond these are answered 503 with Retry-After at once, ahead of guards and content:
/// when work comes faster than it is done, what waits must not grow until all of it is too late.
/// All loops of the process count together, and each place that it is used at by itself. A
/// WebSocket counts until it is open.
///
/// Throws a Failure for no requests.
[[nodiscard]] Hook concurrency_limit(ConcurrencyLimit limit = {});

}  // namespace eider
