// Decompresses gzip, zlib, Brotli and zstd, up to a limit.
// Layering: must not trust a length that the input promises.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/result.h"
#include "eider/core/compress/coding.h"

namespace eider {

namespace detail::compress {
class Decoder;
struct DecodeStep;
}  // namespace detail::compress

/// Limits of the output of a stream.
struct DecompressionLimits {
  /// The limit of the output in bytes.
  std::uint64_t bytes_max = 1024UL * 1024;
  /// The limit of the average output per input byte, after `bytes_free` bytes of output. Text
  /// seldom exceeds 20; decompression bombs exceed 1000.
  std::uint32_t ratio_max = 200;
  /// The output up to which `ratio_max` does not apply, because short inputs may be repetitive.
  std::uint64_t bytes_free = 1024UL * 1024;
};

enum class Decompressed : std::uint8_t {
  /// The stream is not at its end: it needs more input, or is truncated.
  need_more,
  /// `room_max` bytes were produced and there may be more: call again with the rest of the input.
  need_room,
  /// The data may end here. With gzip and zstd, another member or frame may follow.
  done,
  /// The input is invalid, or its checksum is wrong.
  corrupt,
  /// The output would exceed the limits, or the input requires a window above 8 MiB.
  too_large,
  /// The stream has ended, and other bytes follow.
  trailing,
};

/// Returns one sentence for the client.
[[nodiscard]] std::string_view to_text(Decompressed outcome) noexcept;

/// Decompresses one stream: gzip with all its members, zstd with all its frames.
///
/// memory   gzip and deflate 40 KiB; brotli at most twice `bytes_max`, with a maximum of 32 MiB,
///          and up to 3 MiB for its tables; zstd 160 KiB and its window, at most 8 MiB of address
///          space, of which only the pages with output are used. Each thread keeps at most four
///          idle states.
/// throws   std::bad_alloc
/// source   RFC 1952 (gzip), RFC 1950 (deflate), RFC 7932 (br), RFC 8878 and RFC 9659 (zstd)
class Decompressor {
 public:
  struct Step {
    Decompressed status;
    /// The number of consumed bytes; with need_more, all of the input.
    std::size_t consumed;
  };

  explicit Decompressor(ContentCoding coding, DecompressionLimits limits = {});
  Decompressor(Decompressor&& other) noexcept;
  Decompressor& operator=(Decompressor&& other) noexcept;
  ~Decompressor();

  /// Appends the output of the start of `in` to `out`, at most `room_max` bytes.
  ///
  /// room_max  greater than 0
  /// returns   corrupt, too_large and trailing are final; `out` has the output before the error
  [[nodiscard]] Step read(std::string_view in, Buffer& out, std::size_t room_max);
  /// Reads all of `in`; only the limits bound the output. Never returns need_room.
  [[nodiscard]] Decompressed write(std::string_view in, Buffer& out);

  /// Returns the total output so far, in bytes.
  [[nodiscard]] std::uint64_t bytes_made() const noexcept { return bytes_made_; }

 private:
  /// Calls the library once and sets the status.
  detail::compress::DecodeStep advance(std::string_view in, Buffer& out, std::size_t room_left);
  [[nodiscard]] Decompressed status_after(const detail::compress::DecodeStep& step,
                                          std::size_t in_bytes, std::size_t room) const noexcept;
  /// Returns whether another member or frame starts with this byte. The limits apply to all of them
  /// together.
  [[nodiscard]] bool begins_again(char byte) noexcept;
  [[nodiscard]] bool is_too_large() const noexcept;

  ContentCoding coding_;
  DecompressionLimits limits_;
  std::unique_ptr<detail::compress::Decoder> decoder_;
  std::uint64_t bytes_taken_ = 0;
  std::uint64_t bytes_made_ = 0;
  Decompressed status_ = Decompressed::need_more;
};

/// Decompresses the whole stream `in` and appends it to `out`.
///
/// errors  corrupt (also if the stream is truncated), too_large, trailing; `out` is then unchanged
[[nodiscard]] Result<void, Decompressed> decompress(ContentCoding coding, std::string_view in,
                                                    Buffer& out, DecompressionLimits limits = {});

}  // namespace eider
