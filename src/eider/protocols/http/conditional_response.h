// Evaluates conditional requests (RFC 9110, section 13) for a response, and makes the 304.
// Layering: must not judge conditions: preconditions.h does.
#pragma once

#include <cstdint>

#include "eider/protocols/http/preconditions.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// What ETag and Last-Modified of the response say; valid until one of its fields is set or added.
///
/// now_seconds  since 1970, to read the date by
[[nodiscard]] Representation representation_of(const Response& response,
                                               std::int64_t now_seconds) noexcept;

/// Says that the response's bytes are others than those that its tag was made for, of the same
/// state:
/// `"7"` becomes `W/"7"` (RFC 9110, section 8.8.1).
void weaken_entity_tag(Response& response);

/// Takes off what describes content that is not given after all, and how long caches may keep it,
/// ahead of a refusal in its place. An ETag stays: it says which state there is.
void drop_representation(Response& response);

/// Makes a 200 the 304 of the same: without content and what describes that, with all that a cache
/// goes by, such as ETag, Vary, Cache-Control and Expires (RFC 9110, section 15.4.5).
void become_not_modified(Response& response);

}  // namespace eider
