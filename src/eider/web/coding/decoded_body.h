// Decodes a compressed request body as a stream, for handlers with a BodyStream.
// Layering: must not buffer the body.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/compress/decompressor.h"
#include "eider/io/runtime/task.h"
#include "eider/server/body_stream.h"
#include "eider/web/coding/decoded_request.h"

namespace eider {

class Request;

/// Reads a body with or without a Content-Encoding.
///
///     app.post("/upload", [](BodyStream body, Request& request) -> Task<Receipt> {
///       DecodedBody decoded(body, request, {.limits = {.bytes_max = 1UL << 30}});
///       for (auto next = decoded.next(); …; )
///
/// memory  a Decompressor and a piece of 64 KiB
class DecodedBody {
 public:
  /// request  only used by the constructor
  /// errors   throws a Failure: 415 for a coding that is not in `options`
  DecodedBody(BodyStream body, const Request& request, const DecompressionOptions& options = {});

  /// `auto wanted = body.next(); auto part = co_await std::move(wanted);`
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
