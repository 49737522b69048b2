// Decodes compressed request bodies: with `app.use(decompression())`, or as a stream.
// Layering: the middleware must not touch bodies that the handler streams, which buffer nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/core/compress/coding.h"
#include "eider/core/compress/decompressor.h"
#include "eider/io/runtime/task.h"
#include "eider/protocols/http/head.h"
#include "eider/server/body_stream.h"
#include "eider/server/limits.h"

namespace eider {

class Request;

struct DecompressionOptions {
  /// Content codings that are decoded; others get a 415.
  std::vector<ContentCoding> codings = {ContentCoding::zstd, ContentCoding::brotli,
                                        ContentCoding::gzip, ContentCoding::deflate};
  /// Limits of the decoded body. The limit of the route applies to the received bytes.
  DecompressionLimits limits = {.bytes_max = kBodyBytesMaxDefault};
};

/// Returns the coding in the Content-Encoding of the request; nothing without that header, or for
/// "identity".
///
/// errors  415 for a coding that is not in `codings`, and for several codings
/// source  RFC 9110, section 8.4
[[nodiscard]] Result<std::optional<ContentCoding>> content_coding_of(
    std::span<const Field> fields, std::span<const ContentCoding> codings);

/// Returns "gzip, br" for the header Accept-Encoding of a response (RFC 9110, section 12.5.3).
[[nodiscard]] std::string names_of(std::span<const ContentCoding> codings);

/// Returns the error for a decompressor's failure: 413 for too_large, else 400.
[[nodiscard]] Error to_error(Decompressed outcome);

/// Replaces a buffered body with its decoded bytes; the header Content-Encoding stays. A body that
/// was already decoded is not decoded again.
///
/// errors  415 with Accept-Encoding for an unknown coding, 413 for a body that becomes too large or
///         grows too much, 400 for a damaged one; the handler is not called
/// memory  the decoded bytes are stored until the response is complete
[[nodiscard]] Hook decompression(DecompressionOptions options = {});

/// Reads a body with or without a Content-Encoding.
///
///     app.post("/upload", [](BodyStream body, Request& request) -> Task<Receipt> {
///       DecodedBody decoded(body, request, {.limits = {.bytes_max = 1UL << 30}});
///       while (const auto piece = co_await decoded.next()) { … }
///
/// memory  a Decompressor and a piece of 64 KiB
class DecodedBody {
 public:
  /// request  only used by the constructor
  /// errors   throws a Failure: 415 for a coding that is not in `options`
  DecodedBody(BodyStream body, const Request& request, const DecompressionOptions& options = {});

  /// `auto part = co_await body.next();`
  ///
  /// returns  decoded bytes, never empty, valid until the next call; nothing at the end
  /// errors   thrown as a Failure: those of BodyStream::next, 413 if the body becomes too large or
  ///          grows too much, 400 if it is damaged or truncated
  [[nodiscard]] Task<std::optional<std::string_view>> next();

 private:
  /// Decodes some of the unread bytes. Throws a Failure.
  void decode();

  BodyStream body_;
  std::optional<Decompressor> decompressor_;  // none: the body is not compressed
  Decompressed status_ = Decompressed::done;  // initially `done`, because an empty body is valid
  std::string_view unread_;
  Buffer decoded_;
};

}  // namespace eider
