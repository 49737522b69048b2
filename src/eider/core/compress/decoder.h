// One library's streaming decompressor.
// Layering: must not limit the output: Decompressor does, with the size of its buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace eider::detail::compress {

enum class DecodeStatus : std::uint8_t {
  more,  // the input or the output room is used up
  end,   // the end of one member or frame; another may follow
  corrupt,
  too_large,  // needs a larger window, or more memory, than allowed
};

struct DecodeStep {
  DecodeStatus status;
  std::size_t consumed;
  std::size_t made;
};

/// All functions may throw std::bad_alloc.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  /// Decodes from the start of `in` into the start of `room`. Pre: since the last `restart`, the
  /// stream has neither ended nor failed.
  [[nodiscard]] virtual DecodeStep run(std::string_view in, std::span<char> room) = 0;
  /// Returns whether another member or frame may start with this byte; always false for codings
  /// without them.
  [[nodiscard]] virtual bool goes_on_with(char byte) const noexcept = 0;
  /// Resets the decoder for another stream or member. Returns false if that is not possible.
  [[nodiscard]] virtual bool restart() noexcept = 0;
  /// Returns whether its memory is small enough to keep while idle.
  [[nodiscard]] virtual bool is_small() const noexcept { return true; }
};

[[nodiscard]] std::unique_ptr<Decoder> make_gzip_decoder();
[[nodiscard]] std::unique_ptr<Decoder> make_zlib_decoder();
/// bytes_max  the limit of the whole output; a stream that announces more gets no memory for it
[[nodiscard]] std::unique_ptr<Decoder> make_brotli_decoder(std::uint64_t bytes_max);
[[nodiscard]] std::unique_ptr<Decoder> make_zstd_decoder();

}  // namespace eider::detail::compress
