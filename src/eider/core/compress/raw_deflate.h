// Raw DEFLATE (RFC 1951) as a stream, for WebSocket messages.
// Layering: must not know messages: http/ws/deflate does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider {

/// The tail of every piece that RawDeflater makes: an empty stored block without its header bits.
inline constexpr std::string_view kDeflateTail{"\x00\x00\xff\xff", 4};

struct RawDeflateSettings {
  int level = 5;
  /// The window is 2^window_bits bytes, 9 <= window_bits <= 15. (zlib makes no raw DEFLATE with 8.)
  int window_bits = 15;
  /// 1 to 9: the tables take 2^(memory_level + 9) bytes.
  int memory_level = 8;

  bool operator==(const RawDeflateSettings&) const = default;
};

/// memory  2^(window_bits + 2) + 2^(memory_level + 9) bytes and 6 KiB: 262 KiB unless told
/// otherwise throws  std::bad_alloc
class RawDeflater {
 public:
  explicit RawDeflater(const RawDeflateSettings& settings);
  RawDeflater(RawDeflater&& other) noexcept;
  RawDeflater& operator=(RawDeflater&& other) noexcept;
  ~RawDeflater();

  /// Appends all of `in`, decodable at once; ends with kDeflateTail. It may refer to what was
  /// written before, until `reset`. Nothing comes of an empty `in` behind a piece.
  void write(std::string_view in, Buffer& out);
  /// What comes refers to nothing that was before.
  void reset() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

enum class RawInflated : std::uint8_t {
  /// All of the input was used, and all that it says was made.
  need_more,
  /// The room is used up.
  need_room,
  /// A block with BFINAL set has ended; for what follows call `go_on` or `reset`.
  ended,
  corrupt,
};

/// memory  7 KiB and 2^window_bits bytes (taken when the first output comes)
/// throws  std::bad_alloc
class RawInflater {
 public:
  struct Step {
    RawInflated status;
    std::size_t consumed;
  };

  /// window_bits  8 to 15: at least those of the side that compressed
  explicit RawInflater(int window_bits);
  RawInflater(RawInflater&& other) noexcept;
  RawInflater& operator=(RawInflater&& other) noexcept;
  ~RawInflater();

  /// Appends at most `room_max` bytes of what the front of `in` expands to.
  [[nodiscard]] Step read(std::string_view in, Buffer& out, std::size_t room_max);
  /// The next block begins a new stream, which refers to nothing that was before.
  void reset() noexcept;
  /// Behind a block with BFINAL set: the next block may refer to what was before.
  void go_on() noexcept;
  /// Whether the input so far ends where a block does, on the byte, and not with the stream.
  [[nodiscard]] bool is_between_blocks() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace eider
