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

/// zlib selects the gzip format by this number, added to the window bits.
inline constexpr int kWindowBits = 15;
inline constexpr int kGzipWrapping = 16;

/// The constructor throws std::bad_alloc.
class ZlibDeflate {
 public:
  struct Settings {
    int level = 5;
    /// 9 to 15; plus kGzipWrapping, or negative for raw DEFLATE.
    int window_bits = 15;
    /// 1 to 9: the tables use 2^(memory_level + 9) bytes.
    int memory_level = 8;
  };

  explicit ZlibDeflate(const Settings& settings);
  ZlibDeflate(const ZlibDeflate&) = delete;
  ZlibDeflate& operator=(const ZlibDeflate&) = delete;
  ~ZlibDeflate();

  /// Reads all of `in` and appends the output.
  ///
  /// flush  Z_NO_FLUSH, Z_SYNC_FLUSH or Z_FINISH
  void run(std::string_view in, int flush, Buffer& out);
  void reset() noexcept;

 private:
  void run_piece(std::string_view piece, int flush, Buffer& out);

  z_stream stream_{};
};

/// The constructor and `run` throw std::bad_alloc.
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

  /// Decodes from the start of `in` into the start of `room`. `more`: one of them is used up.
  [[nodiscard]] Step run(std::string_view in, std::span<char> room);
  void reset() noexcept;
  /// Like `reset`, but later data may refer to data before. Does not copy the window.
  void reset_keeping_window() noexcept;
  /// Returns whether the last `run` ended after the last bit of a block, and on a byte boundary.
  [[nodiscard]] bool is_between_blocks() const noexcept;

 private:
  z_stream stream_{};
};

}  // namespace eider::detail::compress
