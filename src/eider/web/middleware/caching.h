// HTTP caching headers: validators, 304 and Cache-Control.
// Layering: must not cache responses; response_cache does.
#pragma once

#include <cstddef>

#include "eider/app/handlers/middleware.h"
#include "eider/protocols/http/cache_control.h"

namespace eider {

struct ConditionalRequests {
  /// Larger responses get no ETag, because computing it would cost more than it saves.
  std::size_t response_bytes_max = std::size_t{256} << 10U;
};

/// Evaluates If-None-Match, If-Modified-Since, If-Match and If-Unmodified-Since for GET and HEAD of
/// any handler. If the client already has the response, it gets a 304 without a body.
///
///     app.use(conditional_requests());
///
/// Validators that a handler sets (ResponseOf::etag, ResponseOf::last_modified) are used. A 200
/// without validators whose body is completely in memory gets a strong ETag, computed from the
/// body; the handler runs, but the body is not sent. Streams, and custom file responses without a
/// validator, are not changed. Handlers check preconditions of writes themselves: see
/// Preconditions.
///
/// Use this middleware inside of compression (add it later), which weakens the ETag of a compressed
/// response.
/// source  RFC 9110, sections 8.8.3, 13 and 15.4.5
[[nodiscard]] Hook conditional_requests(ConditionalRequests options = {});

/// Sets Cache-Control for 2xx and 3xx responses to GET and HEAD that do not set it themselves.
/// Throws std::invalid_argument like `to_header_value`.
///
///     app.get("/logo", logo).use(cache_control({.max_age = 1h, .is_public = true}));
[[nodiscard]] Hook cache_control(const CacheControl& words);

}  // namespace eider
