// Raw DEFLATE (RFC 1951) as a stream, for WebSocket messages.
// Layering: must not know messages: http/ws/deflate does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider {

/// The end of each piece that RawDeflater writes: an empty stored block without its header bits.
inline constexpr std::string_view kDeflateTail{"\x00\x00\xff\xff", 4};

struct RawDeflateSettings {
  int level = 5;
  /// The window has 2^window_bits bytes, 9 <= window_bits <= 15. (zlib writes no raw DEFLATE with
  /// 8.)
  int window_bits = 15;
  /// 1 to 9: the tables use 2^(memory_level + 9) bytes.
  int memory_level = 8;

  bool operator==(const RawDeflateSettings&) const = default;
};

/// memory  2^(window_bits + 2) + 2^(memory_level + 9) bytes and 6 KiB; by default 262 KiB
/// throws  std::bad_alloc
class RawDeflater {
 public:
  explicit RawDeflater(const RawDeflateSettings& settings);
  RawDeflater(RawDeflater&& other) noexcept;
  RawDeflater& operator=(RawDeflater&& other) noexcept;
  ~RawDeflater();

  /// Appends all of `in`, compressed so that it can be decoded at once. The output ends with
  /// kDeflateTail, and may refer to data written since the last `reset`. After another piece, an
  /// empty `in` produces no output.
  void write(std::string_view in, Buffer& out);
  /// Makes later output independent of the data before.
  void reset() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class RawInflated : std::uint8_t {
  /// All of the input was consumed, and all of its output was produced.
  need_more,
  /// The output room is used up.
  need_room,
  /// A block with BFINAL set has ended; before more input, call `go_on` or `reset`.
  ended,
  corrupt,
};

/// memory  7 KiB and 2^window_bits bytes (allocated at the first output)
/// throws  std::bad_alloc
class RawInflater {
 public:
  struct Step {
    RawInflated status;
    std::size_t consumed;
  };

  /// window_bits  8 to 15, and at least that of the compressor
  explicit RawInflater(int window_bits);
  RawInflater(RawInflater&& other) noexcept;
  RawInflater& operator=(RawInflater&& other) noexcept;
  ~RawInflater();

  /// Appends at most `room_max` bytes of the output of `in`.
  [[nodiscard]] Step read(std::string_view in, Buffer& out, std::size_t room_max);
  /// Starts a new stream, which does not refer to earlier data.
  void reset() noexcept;
  /// Continues after a block with BFINAL set: the next block may refer to earlier data.
  void go_on() noexcept;
  /// Returns whether the input so far ends at the end of a block and on a byte boundary, but not at
  /// the end of the stream.
  [[nodiscard]] bool is_between_blocks() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eider
