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

/// How hard each coding tries. Sensible for responses that are made as they are asked for; see
/// docs/performance/compression.md for what they cost.
struct CompressionLevels {
  int gzip = 5;    // 1 to 9
  int brotli = 4;  // 0 to 11
  int zstd = 3;    // 1 to 19

  [[nodiscard]] int of(ContentCoding coding) const noexcept;
};

/// One stream of one coding. Made, fed any number of times, finished once.
///
/// memory   gzip 262 KiB, brotli up to 2.1 MiB, zstd 1.8 MiB, while it lives (less when all is
///          written by `finish`). The states of gzip and zstd are kept for the thread's next
///          streams, at most four of them.
/// throws   std::bad_alloc from every call; nothing else can go wrong
class Compressor {
 public:
  /// Pre: coding != ContentCoding::deflate, which is read, never written.
  explicit Compressor(ContentCoding coding, CompressionLevels levels = {});
  Compressor(Compressor&& other) noexcept;
  Compressor& operator=(Compressor&& other) noexcept;
  ~Compressor();

  /// Takes all of `in`; appends to `out` what has come of it so far, often nothing.
  void write(std::string_view in, Buffer& out);
  /// All that was written so far can be decoded from what was appended so far.
  void flush(Buffer& out);
  /// Appends the stream's end. Nothing may be written behind it.
  void finish(Buffer& out) { finish({}, out); }
  /// The same with the last bytes. When they are all there is, the coding is fitted to their
  /// number.
  void finish(std::string_view last, Buffer& out);

 private:
  ContentCoding coding_;
  int level_;
  std::unique_ptr<detail::compress::Encoder> encoder_;
};

/// Appends all of `in` as one stream.
void compress(ContentCoding coding, std::string_view in, Buffer& out,
              CompressionLevels levels = {});

}  // namespace eider
