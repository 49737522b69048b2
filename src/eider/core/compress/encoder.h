// One library's streaming compressor, and the pool of idle ones.
// Layering: must not be used by others than Compressor.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/compress/coding.h"

namespace eider::detail::compress {

/// What is to happen behind the bytes: nothing, all of them decodable, or the stream's end.
enum class Flush : std::uint8_t { none, all, finish };

/// Throws std::bad_alloc, and nothing else: no input is wrong.
class Encoder {
 public:
  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  virtual ~Encoder() = default;

  /// Takes all of `in` and appends what comes of it.
  virtual void write(std::string_view in, Flush flush, Buffer& out) = 0;
  /// As new, for another stream. False: it cannot be used again, or holds too much to be kept.
  [[nodiscard]] virtual bool restart() noexcept = 0;
};

[[nodiscard]] std::unique_ptr<Encoder> make_gzip_encoder(int level);
[[nodiscard]] std::unique_ptr<Encoder> make_brotli_encoder(int level);
[[nodiscard]] std::unique_ptr<Encoder> make_zstd_encoder(int level);

struct EncoderKey {
  ContentCoding coding = ContentCoding::gzip;
  int level = 0;
  bool operator==(const EncoderKey&) const = default;
};

/// An idle one of this thread, or a new one. Pre: the coding can be written.
[[nodiscard]] std::unique_ptr<Encoder> take_encoder(const EncoderKey& key);
/// Keeps it for this thread's next stream when it can be used again.
void give_back(const EncoderKey& key, std::unique_ptr<Encoder> encoder) noexcept;

}  // namespace eider::detail::compress
