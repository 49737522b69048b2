// Middleware that decodes compressed request bodies: `app.use(decompression())`.
// Must not touch bodies that the handler reads as they come: decoded_body.h is for these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/core/base/result.h"
#include "eider/core/compress/coding.h"
#include "eider/core/compress/decompressor.h"
#include "eider/protocols/http/head.h"
#include "eider/server/limits.h"

namespace eider {

struct DecompressionOptions {
  /// Those that are decoded; others are a 415.
  std::vector<ContentCoding> codings = {ContentCoding::zstd, ContentCoding::brotli,
                                        ContentCoding::gzip, ContentCoding::deflate};
  /// What a body may become. The route's own bound is for the bytes that arrive.
  DecompressionLimits limits = {.bytes_max = kBodyBytesMaxDefault};
};

/// The coding that the request's Content-Encoding names; nothing for none or "identity".
///
/// errors  415 for one that is not in `codings`, and for more than one
/// source  RFC 9110, section 8.4
[[nodiscard]] Result<std::optional<ContentCoding>> content_coding_of(
    std::span<const Field> fields, std::span<const ContentCoding> codings);

/// "gzip, br": what an answer's Accept-Encoding says of requests (RFC 9110, section 12.5.3).
[[nodiscard]] std::string names_of(std::span<const ContentCoding> codings);

/// The error that a decompressor's failure is to the client: 413 for too_large, else 400.
[[nodiscard]] Error to_error(Decompressed outcome);

/// Puts the decoded bytes in place of a gathered body; the field Content-Encoding stays. A body
/// that the hook has decoded once is not decoded again.
///
/// errors  415 with Accept-Encoding for an unknown coding, 413 for a body that becomes too large or
///         grows too much, 400 for a damaged one; the handler is not called
/// memory  the decoded bytes stay with the request until its answer is complete
[[nodiscard]] Hook decompression(DecompressionOptions options = {});

}  // namespace eider
