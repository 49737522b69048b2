// One library's streaming compressor.
// Layering: must not be used by others than Compressor.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider::detail::compress {

/// The action after the bytes: none, make all bytes decodable, or end the stream.
enum class Flush : std::uint8_t { none, all, finish };

/// All functions may throw std::bad_alloc. There are no other errors, because any input is valid.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  /// Reads all of `in` and appends the output.
  virtual void write(std::string_view in, Flush flush, Buffer& out) = 0;
  /// Resets the encoder for another stream. Returns false if it cannot be reused, or uses too much
  /// memory to be kept.
  [[nodiscard]] virtual bool restart() noexcept = 0;
};

[[nodiscard]] std::unique_ptr<Encoder> make_gzip_encoder(int level);
[[nodiscard]] std::unique_ptr<Encoder> make_brotli_encoder(int level);
[[nodiscard]] std::unique_ptr<Encoder> make_zstd_encoder(int level);

}  // namespace eider::detail::compress
