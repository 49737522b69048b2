// One library's streaming decompressor, and the pool of idle ones.
// Layering: must not limit the output: Decompressor does, with the size of its buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "eider/core/compress/coding.h"

namespace eider::detail::compress {

enum class DecodeStatus : std::uint8_t {
  more,  // the input or the room is used up
  end,   // of one member or frame; the next may follow
  corrupt,
  too_large,  // it wants a larger window, or more memory, than it is given
};

struct DecodeStep {
  DecodeStatus status;
  std::size_t consumed;
  std::size_t made;
};

/// Throws std::bad_alloc.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Decodes from the front of `in` into the front of `room`. Pre: neither the stream has ended
  /// nor failed since the last `restart`.
  [[nodiscard]] virtual DecodeStep run(std::string_view in, std::span<char> room) = 0;
  /// Whether another member or frame may begin with this byte; never for codings of one stream.
  [[nodiscard]] virtual bool goes_on_with(char byte) const noexcept = 0;
  /// As new, for another stream or member. False: it cannot.
  [[nodiscard]] virtual bool restart() noexcept = 0;
  /// Whether it has not grown too large to lie idle.
  [[nodiscard]] virtual bool is_small() const noexcept { return true; }
};

[[nodiscard]] std::unique_ptr<Decoder> make_gzip_decoder();
[[nodiscard]] std::unique_ptr<Decoder> make_zlib_decoder();
/// bytes_max  of the whole output: what promises more is not given the memory for it
[[nodiscard]] std::unique_ptr<Decoder> make_brotli_decoder(std::uint64_t bytes_max);
[[nodiscard]] std::unique_ptr<Decoder> make_zstd_decoder();

/// An idle one of this thread, or a new one.
[[nodiscard]] std::unique_ptr<Decoder> take_decoder(ContentCoding coding, std::uint64_t bytes_max);
/// Keeps it for this thread's next stream when it can be used again.
void give_back(ContentCoding coding, std::unique_ptr<Decoder> decoder) noexcept;

}  // namespace eider::detail::compress
