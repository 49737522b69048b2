// A shared HTTP cache of responses.
// Layering: must not be used if a response depends on something that Vary does not name.
#pragma once

#include <cstddef>

#include "eider/app/handlers/middleware.h"
#include "eider/io/runtime/time.h"

namespace eider {

struct ResponseCache {
  /// Limit for all stored responses, with their keys and headers.
  std::size_t bytes_max = std::size_t{16} << 20U;
  /// Larger responses are not stored.
  std::size_t response_bytes_max = std::size_t{256} << 10U;
  /// Lifetime of a 200 that does not set its own. Zero: only responses with a lifetime are stored
  /// (Cache-Control: s-maxage or max-age, or else Expires).
  Duration ttl = Duration::zero();
};

/// Caches responses to GET in memory, for all event loops of the process, and serves them while
/// they are fresh, with Age. If several requests miss the cache, each event loop forwards one and
/// the others wait for its response; if that response cannot be shared, all are forwarded.
///
///     app.group("/news").use(response_cache({.ttl = 10s}));
///
/// - Responses with no-store, no-cache or private, a cookie or `Vary: *` are not stored. Neither
///   are streams and files. Other statuses than 200 are not stored, except 203, 204, 301, 308, 404
///   and 410 with a lifetime.
/// - Responses of routes with a CsrfToken, a CspNonce or UpstreamHeaders are not stored. Neither
///   are responses to requests with Range, If-Match, If-Unmodified-Since or a body.
/// - Responses to requests with Authorization, Cookie, an API key, a client certificate or an
///   Identity are stored only if the response sets `public` or `s-maxage`.
/// - Responses are separate for each scheme, host (after trusted proxies the one that the client
///   requested), path, query, and value of the headers in Vary.
/// - A client that sends no-cache or max-age=0 gets a new response, which is stored; no-store
///   bypasses the cache. A client that has the stored response (If-None-Match, If-Modified-Since)
///   gets a 304.
/// - A successful write to the same target, on a route with this middleware, removes the response.
///
/// Guards run before it, for each request, so authorization still applies. Responses that differ by
/// user must set `Cache-Control: private`. Its routes are asynchronous.
///
/// source  RFC 9111, sections 3, 3.5, 4 and 4.4
[[nodiscard]] ClientMiddleware response_cache(ResponseCache options = {});

}  // namespace eider
