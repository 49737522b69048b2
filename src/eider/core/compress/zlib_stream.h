// RAII wrappers of zlib's compressor and decompressor.
// Layering: must not know the format (gzip, zlib or raw): the window bits select it.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider::detail::compress {

/// What zlib adds to its window bits for gzip's wrapping.
inline constexpr int kWindowBits = 15;
inline constexpr int kGzipWrapping = 16;

/// Throws std::bad_alloc from its constructor.
class ZlibDeflate {
 public:
  struct Settings {
    int level = 5;
    /// 9 to 15; plus kGzipWrapping, or negative for raw DEFLATE.
    int window_bits = 15;
    /// 1 to 9: the tables take 2^(memory_level + 9) bytes.
    int memory_level = 8;
  };

  explicit ZlibDeflate(const Settings& settings);
  ZlibDeflate(const ZlibDeflate&) = delete;
  ZlibDeflate& operator=(const ZlibDeflate&) = delete;
  ~ZlibDeflate();

  /// Takes all of `in` and appends what comes of it.
  ///
  /// flush  Z_NO_FLUSH, Z_SYNC_FLUSH or Z_FINISH
  void run(std::string_view in, int flush, Buffer& out);
  void reset() noexcept;

 private:
  void run_piece(std::string_view piece, int flush, Buffer& out);

  z_stream stream_{};
};

/// Throws std::bad_alloc from its constructor and from `run`.
class ZlibInflate {
 public:
  enum class Status : std::uint8_t { more, end, corrupt };
  struct Step {
    Status status;
    std::size_t consumed;
    std::size_t made;
  };

  /// window_bits  8 to 15; plus kGzipWrapping, or negative for raw DEFLATE
  explicit ZlibInflate(int window_bits);
  ZlibInflate(const ZlibInflate&) = delete;
  ZlibInflate& operator=(const ZlibInflate&) = delete;
  ~ZlibInflate();

  /// Decodes from the front of `in` into the front of `room`. `more`: one of them is used up.
  [[nodiscard]] Step run(std::string_view in, std::span<char> room);
  void reset() noexcept;
  /// As `reset`, but what follows may refer to what was before. It costs no copy of the window.
  void reset_keeping_window() noexcept;
  /// Whether the last `run` ended behind a block's last bit, and that on a byte's.
  [[nodiscard]] bool is_between_blocks() const noexcept;

 private:
  z_stream stream_{};
};

}  // namespace eider::detail::compress
