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

/// What a stream may become.
struct DecompressionLimits {
  /// Never more bytes than these come out: 1 MiB.
  std::uint64_t bytes_max = 1024UL * 1024;
  /// Behind `bytes_free`, each byte that came in may have become so many on average. Text seldom
  /// exceeds 20; what a bomb is made of exceeds 1000.
  std::uint32_t ratio_max = 200;
  /// So many may come out whatever came in: short inputs may well be repetitive.
  std::uint64_t bytes_free = 1024UL * 1024;
};

enum class Decompressed : std::uint8_t {
  /// The stream is not at its end: it needs more input, or it is cut.
  need_more,
  /// `room_max` bytes were made and there may be more: call again with the rest of the input.
  need_room,
  /// The content may end here. With gzip and zstd another member or frame may follow.
  done,
  /// Not what the coding allows, or its checksum is wrong.
  corrupt,
  /// More would have come out than the limits allow, or it asks for a window above 8 MiB.
  too_large,
  /// The stream has ended, and these are no further bytes of it.
  trailing,
};

/// In one sentence, for a client's eyes.
[[nodiscard]] std::string_view to_text(Decompressed outcome) noexcept;

/// One stream of one coding: gzip with all its members, zstd with all its frames.
///
/// memory   gzip and deflate 40 KiB; brotli at most twice `bytes_max` but no more than 32 MiB, and
///          up to 3 MiB for its tables; zstd 160 KiB and its window, at most 8 MiB of addresses,
///          whose pages are touched as output comes. At most four idle states are kept per thread.
/// throws   std::bad_alloc
/// source   RFC 1952 (gzip), RFC 1950 (deflate), RFC 7932 (br), RFC 8878 and RFC 9659 (zstd)
class Decompressor {
 public:
  struct Step {
    Decompressed status;
    /// Of the input; all of it with need_more.
    std::size_t consumed;
  };

  explicit Decompressor(ContentCoding coding, DecompressionLimits limits = {});
  Decompressor(Decompressor&& other) noexcept;
  Decompressor& operator=(Decompressor&& other) noexcept;
  ~Decompressor();

  /// Appends to `out` what comes of the front of `in`, at most `room_max` bytes.
  ///
  /// room_max  above 0
  /// returns   corrupt, too_large and trailing stay for good; `out` has what was made before
  [[nodiscard]] Step read(std::string_view in, Buffer& out, std::size_t room_max);
  /// The same for all of `in`, and without a bound besides the limits'; never need_room.
  [[nodiscard]] Decompressed write(std::string_view in, Buffer& out);

  /// All that has come out so far.
  [[nodiscard]] std::uint64_t bytes_made() const noexcept { return bytes_made_; }

 private:
  /// One call of the library; sets the status.
  detail::compress::DecodeStep advance(std::string_view in, Buffer& out, std::size_t room_left);
  [[nodiscard]] Decompressed status_after(const detail::compress::DecodeStep& step,
                                          std::size_t in_bytes, std::size_t room) const noexcept;
  /// Whether another member or frame begins with this byte: the limits hold for all together.
  [[nodiscard]] bool begins_again(char byte) noexcept;
  [[nodiscard]] bool is_too_large() const noexcept;

  ContentCoding coding_;
  DecompressionLimits limits_;
  std::unique_ptr<detail::compress::Decoder> decoder_;
  std::uint64_t bytes_taken_ = 0;
  std::uint64_t bytes_made_ = 0;
  Decompressed status_ = Decompressed::need_more;
};

/// Appends to `out` what the whole stream `in` is.
///
/// errors  corrupt (also when it is cut), too_large, trailing; `out` is then as it was
[[nodiscard]] Result<void, Decompressed> decompress(ContentCoding coding, std::string_view in,
                                                    Buffer& out, DecompressionLimits limits = {});

}  // namespace eider
