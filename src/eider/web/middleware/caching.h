// What clients and caches need to keep answers: validators, 304 and Cache-Control.
// Must not keep answers: response_cache does.
#pragma once

#include <cstddef>

#include "eider/app/handlers/middleware.h"
#include "eider/protocols/http/cache_control.h"

namespace eider {

struct ConditionalRequests {
  /// A larger answer gets no tag: what it costs to make would not be worth it.
  std::size_t answer_bytes_max = std::size_t{256} << 10U;
};

/// Answers GET and HEAD by If-None-Match, If-Modified-Since, If-Match and If-Unmodified-Since, of
/// any handler: a client that has the answer already is told so by a 304, without content.
///
///     app.use(conditional_requests());
///
/// What a handler says itself (With::etag, With::last_modified) counts. A 200 whose content is
/// whole in memory, and says neither, gets a strong ETag made of that: the handler runs, but its
/// answer need not travel. Streams, and files of one's own without a validator, are left alone.
/// Changes are the handler's own matter: see Conditions.
///
/// Use it inside of compression (behind it), which weakens the tag of what it has compressed.
/// source  RFC 9110, sections 8.8.3, 13 and 15.4.5
[[nodiscard]] Hook conditional_requests(ConditionalRequests options = {});

/// Says to caches how they may keep answers of these routes: 2xx and 3xx of GET and HEAD that do
/// not say so themselves. Throws std::invalid_argument as `to_field_value` does.
///
///     app.get("/logo", logo).use(cache_control({.max_age = 1h, .is_public = true}));
[[nodiscard]] Hook cache_control(const CacheControl& words);

}  // namespace eider
