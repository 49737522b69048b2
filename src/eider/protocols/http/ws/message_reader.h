// The receiving side of a WebSocket connection: bytes in, events out, for server and client.
// Layering: must not respond (the caller sends pongs and closes), and has no buffer while idle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/core/base/utf8_stream.h"
#include "eider/protocols/http/ws/extension.h"
#include "eider/protocols/http/ws/frame.h"
#include "eider/protocols/http/ws/refusal.h"

namespace eider::ws {

enum class MessageType : std::uint8_t { text = 1, binary = 2 };

/// Twice what 4 MiB in frames of 64 bytes take: they cost their sender more than us. What is
/// bounded is a message of empty frames, which no bound of bytes would end.
inline constexpr std::uint32_t kFragmentsMaxDefault = 1U << 17U;

/// Bounds of one message. Shared by all connections of a route.
struct MessageLimits {
  /// Decompressed.
  std::uint64_t message_bytes_max = std::uint64_t{1} << 20U;
  /// Frames of one message, so that empty ones cannot go on forever.
  std::uint32_t fragments_max = kFragmentsMaxDefault;
};

/// How messages are handed out: each once it is complete, or in pieces as they come.
enum class Delivery : std::uint8_t { whole, pieces };

enum class EventKind : std::uint8_t {
  /// All of the input is consumed; go on with what comes next.
  need_more,
  /// Delivery::whole: a complete message.
  message,
  /// Delivery::pieces: some bytes of a message, not cut at characters; perhaps none at its end.
  piece,
  ping,
  pong,
  /// The peer's close frame. Whatever comes behind it is consumed in silence.
  close,
  /// The peer broke a rule or a limit; refusal() says which, and so does every later call.
  refused,
};

/// The result of one step.
///
/// type      type of a message or piece
/// is_last   whether the message ends with this piece
/// code      of close: the received code, or CloseCode::no_status; of refused: the code to send
/// consumed  bytes to drop from the front of the input
/// data      of message, piece, ping and pong: the payload; of close: the reason; of refused: the
///           reason to send. Points into the input, the scratch or a constant: valid until the
///           scratch is used again or the input is destroyed.
struct Event {
  EventKind kind = EventKind::need_more;
  MessageType type = MessageType::text;
  bool is_last = true;
  CloseCode code = CloseCode::no_status;
  std::size_t consumed = 0;
  std::string_view data = {};
};

///     for (Event event = reader.read(in, scratch); event.kind != EventKind::need_more;
///          event = reader.read(in, scratch)) {
///       in.remove_prefix(event.consumed);
///       …                                    // leave at refused
///     }
class MessageReader {
 public:
  /// limits  outlives the reader
  MessageReader(Side side, const MessageLimits& limits) noexcept
      : limits_(&limits), frames_(side) {}
  MessageReader(Side side, const MessageLimits&& limits) = delete;

  /// From now on messages may be compressed. codec: outlives the reader. Pre: nothing was read.
  void set_codec(MessageCodec& codec) noexcept;
  /// Pre: no message is under way.
  void set_delivery(Delivery delivery) noexcept { delivery_ = delivery; }

  /// Reads until there is an event, or the input ends.
  ///
  /// in       the bytes after those consumed so far, any length, cut anywhere
  /// scratch  a buffer that many readers of one thread share, one after the other; its content is
  ///          lost. It may come back larger: up to the largest message.
  /// cost     one pass: unmasked while it is copied, checked as UTF-8 while it is in the cache. A
  ///          message that is whole within `in` is not kept; a client's plain one is not copied.
  /// source   RFC 6455, sections 5.4 to 5.6, 7.1.5 to 7.4 and 8.1; RFC 7692, section 6.2
  [[nodiscard]] Event read(std::string_view in, Buffer& scratch);

  /// Refusal::none until an event was refused.
  [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }
  /// The peer's close frame has come.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  /// Between messages and between frames: no deadline for their end is running.
  [[nodiscard]] bool is_idle() const noexcept;
  /// Returns the heap memory that the reader uses for the current message.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return message_.capacity(); }

 private:
  /// Bytes of a message, unmasked and decompressed, and what is wrong behind them.
  struct Taken {
    std::string_view added;
    Refusal refusal;
  };

  [[nodiscard]] Event refuse(Refusal refusal);
  [[nodiscard]] Refusal begin_frame(const FrameHeader& header) noexcept;
  [[nodiscard]] Refusal begin_message(const FrameHeader& header) noexcept;
  [[nodiscard]] Refusal judge_size(std::uint64_t payload_bytes) noexcept;
  [[nodiscard]] Event read_payload(std::string_view part, Buffer& scratch);
  void advance(std::size_t bytes) noexcept;
  void append_unmasked(Buffer& out, std::string_view part);

  [[nodiscard]] Event read_control(std::string_view part, Buffer& scratch);
  [[nodiscard]] Event end_control(std::string_view payload);
  [[nodiscard]] Event end_close(std::string_view payload);

  [[nodiscard]] Event read_data(std::string_view part, Buffer& scratch);
  [[nodiscard]] Event end_message(std::string_view data);
  [[nodiscard]] Taken take(std::string_view part, Buffer& out);
  [[nodiscard]] Taken inflate(std::string_view part, Buffer& out);
  [[nodiscard]] Refusal inflate_piece(std::string_view piece, Buffer& out);
  [[nodiscard]] Refusal inflate_end(Buffer& out);
  [[nodiscard]] std::size_t inflated_bytes_left() const noexcept;
  [[nodiscard]] Refusal count_inflated(Inflated inflated, std::size_t bytes) noexcept;
  [[nodiscard]] bool is_end_of_message(std::string_view part) const noexcept;

  Buffer message_;
  MessageCodec* codec_ = nullptr;
  const MessageLimits* limits_;
  /// Of the message under way, decompressed.
  std::uint64_t message_bytes_ = 0;
  /// The frame under way: payload_bytes is what has not come yet, mask_key turned accordingly.
  FrameHeader frame_;
  std::uint32_t fragments_ = 0;
  FrameReader frames_;
  Utf8Stream text_;
  MessageType type_ = MessageType::text;
  Delivery delivery_ = Delivery::whole;
  Refusal refusal_ = Refusal::none;
  std::uint8_t control_bytes_ = 0;
  bool is_within_frame_ = false;
  bool is_compressed_ = false;
  bool is_closed_ = false;
};

}  // namespace eider::ws
