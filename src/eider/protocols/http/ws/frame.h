// WebSocket frame headers (RFC 6455, section 5.2), read and written for either side.
// Layering: must not read payloads, nor know messages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/protocols/http/ws/mask.h"
#include "eider/protocols/http/ws/refusal.h"

namespace eider::ws {

/// The side of the connection that this program is. A server's input is masked, a client's is not.
enum class Side : std::uint8_t { server, client };

enum class Opcode : std::uint8_t {
  continuation = 0,
  text = 1,
  binary = 2,
  close = 8,
  ping = 9,
  pong = 10,
};

[[nodiscard]] constexpr bool is_control(Opcode opcode) noexcept {
  return static_cast<std::uint8_t>(opcode) >= 8;
}

/// Whether the first reserved bit may be set on the first frame of a message: never, or for a
/// compressed message if compression was negotiated (RFC 7692, section 6).
enum class FirstReservedBit : std::uint8_t { refused, compressed };

/// 2 bytes, 8 of extended length, 4 of mask key.
inline constexpr std::size_t kHeaderBytesMax = 14;
/// The payload limit of a control frame (RFC 6455, section 5.5).
inline constexpr std::size_t kControlBytesMax = 125;

struct FrameHeader {
  std::uint64_t payload_bytes = 0;
  /// Zeros if the frame is not masked.
  MaskKey mask_key{};
  Opcode opcode = Opcode::continuation;
  bool is_final = true;
  /// RSV1: the message is compressed. Only on the first frame of a message.
  bool is_compressed = false;
  bool is_masked = false;

  bool operator==(const FrameHeader&) const = default;
};

enum class FrameStatus : std::uint8_t { need_more, complete, refused };

/// The result of one step.
///
/// consumed  bytes to remove from the start of the input: all of it for need_more; the payload
///           follows
/// header    set only for complete
/// refusal   Refusal::none unless refused
struct FrameStep {
  FrameStatus status = FrameStatus::need_more;
  Refusal refusal = Refusal::none;
  std::size_t consumed = 0;
  FrameHeader header = {};
};

/// Reads one frame header after another, in pieces of any size.
class FrameReader {
 public:
  explicit FrameReader(Side side) noexcept : side_(side) {}

  void set_first_reserved_bit(FirstReservedBit rule) noexcept { first_reserved_bit_ = rule; }
  [[nodiscard]] Side side() const noexcept { return side_; }
  /// Returns whether part of a header has arrived.
  [[nodiscard]] bool is_within_header() const noexcept { return kept_bytes_ != 0; }

  /// Reads a header.
  ///
  /// in       the bytes after the last header's payload, or after those consumed by need_more
  /// returns  complete   the header; `consumed` bytes of `in` belong to it
  ///          need_more  all of `in` is consumed
  ///          refused    a reserved bit or opcode, a fragmented control frame or one above 125
  ///                     bytes, a length that is not minimal or has the top bit set, or a missing
  ///                     or unexpected mask. Reported as early as possible: do not call again.
  /// cost     no allocation; copies only a header that was cut
  /// source   RFC 6455, sections 5.1 to 5.5; RFC 7692, section 6
  [[nodiscard]] FrameStep read(std::string_view in) noexcept;

 private:
  [[nodiscard]] FrameStep judge(std::string_view bytes) const noexcept;
  [[nodiscard]] Refusal judge_first(unsigned char first) const noexcept;
  [[nodiscard]] Refusal judge_second(unsigned char first, unsigned char second) const noexcept;
  [[nodiscard]] FrameStep judge_rest(std::string_view bytes, unsigned short_length) const noexcept;
  [[nodiscard]] FrameStep read_cut(std::string_view in) noexcept;

  /// The start of a header that has not arrived completely.
  std::array<char, kHeaderBytesMax> kept_{};
  std::uint8_t kept_bytes_ = 0;
  Side side_;
  FirstReservedBit first_reserved_bit_ = FirstReservedBit::refused;
};

/// Appends a header in its shortest form. The mask key is written if header.is_masked.
/// Pre: payload_bytes < 2^63.
void write_frame_header(Buffer& out, const FrameHeader& header);

}  // namespace eider::ws
