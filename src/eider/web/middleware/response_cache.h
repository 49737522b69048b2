// Answers that are kept and given again, as far as HTTP allows a cache that many share.
// Must not be used where the answer depends on what no field of it names (Vary).
#pragma once

#include <cstddef>

#include "eider/app/handlers/middleware.h"
#include "eider/io/runtime/time.h"

namespace eider {

struct ResponseCache {
  /// Of all answers that are kept, with their keys and fields.
  std::size_t bytes_max = std::size_t{16} << 20U;
  /// A larger answer is not kept.
  std::size_t answer_bytes_max = std::size_t{256} << 10U;
  /// How long a 200 lasts that says nothing of it. Zero: only answers are kept that say how long
  /// (Cache-Control: s-maxage or max-age).
  Duration lasts = Duration::zero();
};

/// Keeps answers to GET in memory, for all loops of the process, and answers with them while they
/// are fresh, with Age. Where several ask for what is not kept, one of each loop is handed on and
/// the others wait for its answer; where that is not for them, all are handed on at once.
///
///     app.group("/news").use(response_cache({.lasts = 10s}));
///
/// - Not kept: what says no-store, private or no-cache, sets a cookie, varies by "*", is an error
///   (but a 404 or 410 that says how long), a stream or a file, and what was asked for with
///   Range, Authorization, Cookie or content, by a client's certificate or an Identity, unless the
///   answer says `public` or `s-maxage`; a page with a CsrfToken or a CspNonce.
/// - By itself for each scheme and host (behind trusted proxies those that the client asked for),
///   path, query and value of the fields that Vary names.
/// - A client that says no-cache or max-age=0 gets a new answer, which is kept; one that says
///   no-store asks past the cache. One that has the answer that is kept (If-None-Match,
///   If-Modified-Since) is told so by a 304.
/// - A write to the same target that succeeds, on a route with this middleware, makes it forget.
///
/// Guards run ahead of it, for each request: what only some may see is kept from the others. What
/// differs by who asks says `Cache-Control: private`. Its routes all wait.
///
/// source  RFC 9111, sections 3, 3.5, 4 and 4.4
[[nodiscard]] ClientAround response_cache(ResponseCache options = {});

}  // namespace eider
