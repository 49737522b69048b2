// Compresses data with gzip, Brotli or zstd, at once or as a stream.
// Layering: must not choose the coding: http/accept_encoding.h does.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/compress/coding.h"

namespace eider {

namespace detail::compress {
class Encoder;
}

/// The compression levels. The defaults suit responses that are compressed on the fly;
/// docs/performance/compression.md has their costs.
struct CompressionLevels {
  int gzip = 5;    // 1 to 9
  int brotli = 4;  // 0 to 11
  int zstd = 3;    // 1 to 19

  [[nodiscard]] int of(ContentCoding coding) const noexcept;
};

/// Compresses one stream: any number of writes, then `finish` once.
///
/// memory   gzip 262 KiB, brotli up to 2.1 MiB, zstd 1.8 MiB, while it lives (less if `finish`
///          writes all data). Each thread keeps at most four states of gzip and zstd for its next
///          streams.
/// throws   only std::bad_alloc, from every function
class Compressor {
 public:
  /// Pre: coding != ContentCoding::deflate, which can only be read.
  explicit Compressor(ContentCoding coding, CompressionLevels levels = {});
  Compressor(Compressor&& other) noexcept;
  Compressor& operator=(Compressor&& other) noexcept;
  ~Compressor();

  /// Reads all of `in`, and appends the output so far to `out`, which is often empty.
  void write(std::string_view in, Buffer& out);
  /// Appends all pending output, so that all data written so far can be decoded.
  void flush(Buffer& out);
  /// Appends the end of the stream. Nothing may be written afterwards.
  void finish(Buffer& out) { finish({}, out); }
  /// The same, with the last bytes. If they are all the data, the encoder is adjusted to their
  /// size.
  void finish(std::string_view last, Buffer& out);

 private:
  ContentCoding coding_;
  int level_;
  std::unique_ptr<detail::compress::Encoder> encoder_;
};

/// Appends `in` to `out`, compressed as one stream.
void compress(ContentCoding coding, std::string_view in, Buffer& out,
              CompressionLevels levels = {});

}  // namespace eider
