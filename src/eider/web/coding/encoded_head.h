// Changes the headers of a response for a content coding, and decides whether one is allowed.
// Layering: must not touch the body.
#pragma once

#include <string_view>

#include "eider/core/compress/coding.h"

namespace eider {

class Request;
class Response;

/// Returns true for text, and for formats that contain text or tables: "text/html; charset=utf-8",
/// "application/json", "application/problem+json", "image/svg+xml", "application/wasm". False for
/// types that are already compressed, and for unknown ones.
///
/// media_type  value of Content-Type; compared without case, parameters are ignored
[[nodiscard]] bool is_compressible(std::string_view media_type) noexcept;

/// Returns whether the body may be compressed: the status has a complete body (not 1xx, 204, 205,
/// 206 or 304), there is no coding yet, no `Cache-Control: no-transform` (RFC 9111, section
/// 5.2.2.6), no digest of its bytes (RFC 9530, RFC 3230), and is_compressible returns true.
[[nodiscard]] bool may_be_encoded(const Response& head) noexcept;

/// Adds Accept-Encoding to Vary, in one header line with the existing values (RFC 9110, section
/// 12.5.5).
void vary_by_encoding(Response& head);

/// Sets Content-Encoding. A strong ETag becomes weak, because the bytes are different (RFC 9110,
/// section 8.8.3.3), and Accept-Ranges is removed.
void mark_encoded(Response& head, ContentCoding coding);

/// Changes a 304 whose 200 might have been compressed, because it must have the same headers (RFC
/// 9110, section 15.4.5): it varies by Accept-Encoding, and its ETag is weak if the client sent a
/// weak one.
void mark_not_modified(const Request& request, Response& head);

}  // namespace eider
