// Evaluates conditional requests (RFC 9110, section 13) for a response, and makes the 304.
// Layering: must not judge conditions: preconditions.h does.
#pragma once

#include <cstdint>

#include "eider/protocols/http/preconditions.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// Returns the ETag and Last-Modified of the response; valid until one of its headers is set or
/// added.
///
/// now_seconds  since 1970, to interpret the date
[[nodiscard]] Representation representation_of(const Response& response,
                                               std::int64_t now_seconds) noexcept;

/// Makes the ETag weak if the bytes of the response change but its state does not: `"7"` becomes
/// `W/"7"` (RFC 9110, section 8.8.1).
void weaken_entity_tag(Response& response);

/// Removes the headers that describe the content and its caching, before an error replaces the
/// content. The ETag stays: it identifies the current state.
void drop_representation(Response& response);

/// Turns a 200 into a 304: removes the content and the headers that describe it, and keeps those
/// that a cache needs, such as ETag, Vary, Cache-Control and Expires (RFC 9110, section 15.4.5).
void become_not_modified(Response& response);

}  // namespace eider
