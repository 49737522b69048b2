// Middleware that compresses responses: `app.use(compression())`.
// Layering: must not compress a file that has a compressed sibling; files/ sends that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "eider/app/handlers/middleware.h"
#include "eider/core/compress/coding.h"
#include "eider/core/compress/compressor.h"
#include "eider/web/coding/secrets.h"

namespace eider {

/// Whether to compress streams that never end, such as events. Each client then needs a compressor
/// (262 KiB with gzip).
enum class StreamCompression : std::uint8_t { off, on };

struct CompressionOptions {
  /// Allowed codings; of those that the client accepts with equal weight, the first is used.
  /// `deflate` is not supported. Default: zstd; then gzip for bodies up to 12 KiB, for which brotli
  /// at its level is twice as slow and not smaller, and brotli for larger ones.
  std::vector<ContentCoding> codings = {};
  CompressionLevels levels = {};
  /// Smaller bodies are not compressed: they fit into one or two packets anyway.
  std::size_t bytes_min = 1024;
  /// Larger bodies are compressed piece by piece between other work, and sent without a length.
  std::size_t bytes_at_once_max = 128UL * 1024;
  /// Maximum size of files that are compressed instead of being sent by the kernel. They are read
  /// and compressed for each request. Larger ones are not compressed: that would take some tenths
  /// of a second of CPU time for each request.
  std::uint64_t file_bytes_max = std::uint64_t{16} << 20U;
  BreachProtection breach_protection = BreachProtection::cross_site;
  StreamCompression streams = StreamCompression::off;
};

/// Compresses bodies and streams of compressible types according to Accept-Encoding; sets
/// Content-Encoding and Vary, and weakens a strong ETag. docs/guides/responses/compression.md lists
/// the exceptions and their reasons. HEAD gets the same headers as GET.
///
/// Use it outside of hooks that read the body: response hooks run in reverse order.
/// source  RFC 9110, sections 8.4, 8.8.3.3, 12.5.3 and 12.5.5
[[nodiscard]] Hook compression(CompressionOptions options = {});

}  // namespace eider
