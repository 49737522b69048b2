// Middleware that compresses answers: `app.use(compression())`.
// Must not compress a file that has a compressed sibling: files/ sends that in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/core/compress/coding.h"
#include "eider/core/compress/compressor.h"
#include "eider/web/coding/secrets.h"

namespace eider {

/// What becomes of content that never ends, such as events: compressing it holds a compressor
/// (262 KiB with gzip) for each client that listens.
enum class OnLive : std::uint8_t { leave, compress };

struct CompressionOptions {
  /// Among those that the client takes with the same weight the first is chosen. Not `deflate`.
  /// Empty: zstd; then gzip for bodies up to 12 KiB, which brotli at its level takes twice as long
  /// for and makes no smaller, and brotli for all else.
  std::vector<ContentCoding> codings = {};
  CompressionLevels levels = {};
  /// Smaller bodies stay as they are: they fit into a packet or two anyway.
  std::size_t bytes_min = 1024;
  /// Larger bodies are compressed piece by piece between other work, and sent without a length.
  std::size_t bytes_at_once_max = 128UL * 1024;
  /// Files that the kernel would send are read and compressed for each request up to this size.
  /// Larger ones are sent as they are: that many bytes are some tenths of a second of the
  /// processor's time, for one line of a client's.
  std::uint64_t file_bytes_max = std::uint64_t{16} << 20U;
  OnSecrets on_secrets = OnSecrets::leave_foreign;
  OnLive on_live = OnLive::leave;
};

/// Compresses bodies and produced content of compressible types by the request's Accept-Encoding;
/// sets Content-Encoding and Vary, and weakens a strong ETag. What it leaves alone, and why, stands
/// in docs/guides/responses/compression.md. HEAD is answered with the very fields of GET.
///
/// Use it outside of hooks that look at the body: after-hooks run in reverse order.
/// source  RFC 9110, sections 8.4, 8.8.3.3, 12.5.3 and 12.5.5
[[nodiscard]] Hook compression(CompressionOptions options = {});

}  // namespace eider
