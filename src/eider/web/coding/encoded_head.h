// Changes the headers of a response for a content coding, and decides whether one is allowed.
// Layering: must not touch the body.
#pragma once

#include <string_view>

#include "eider/core/compress/coding.h"

namespace eider {

class Request;
class Response;

/// Text, and formats that are text or tables inside: "text/html; charset=utf-8",
/// "application/json", "application/problem+json", "image/svg+xml", "application/wasm". False for
/// types that are compressed by their own format, and for unknown ones.
///
/// media_type  a Content-Type's value; compared without case, parameters are passed over
[[nodiscard]] bool is_compressible(std::string_view media_type) noexcept;

/// Whether the content may be given a coding: its status is one with whole content (not 1xx, 204,
/// 205, 206 or 304), it has none yet, no `Cache-Control: no-transform` (RFC 9111, section
/// 5.2.2.6), no digest that speaks of its bytes (RFC 9530, RFC 3230), and is_compressible.
[[nodiscard]] bool may_be_encoded(const Response& head) noexcept;

/// Says that the response depends on Accept-Encoding: one Vary with what it had (RFC 9110, section
/// 12.5.5).
void vary_by_encoding(Response& head);

/// Says which coding the content has. A strong ETag becomes weak, because the bytes are others now
/// (RFC 9110, section 8.8.3.3), and ranges of them are not to be had.
void mark_encoded(Response& head, ContentCoding coding);

/// Of a 304 in place of a response that may have been encoded: it says what that says (RFC 9110,
/// section 15.4.5), so it varies by Accept-Encoding, and its ETag is weak where the client has
/// named it so.
void mark_not_modified(const Request& request, Response& head);

}  // namespace eider
