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

/// Twice the number for 4 MiB in frames of 64 bytes: such frames cost their sender more than us.
/// This limits a message of empty frames, which a limit of bytes would not end.
inline constexpr std::uint32_t kFragmentsMaxDefault = 1U << 17U;

/// Limits of one message. All connections of a route share them.
struct MessageLimits {
  /// After decompression.
  std::uint64_t message_bytes_max = std::uint64_t{1} << 20U;
  /// Frames of one message, so that empty frames cannot continue forever.
  std::uint32_t fragments_max = kFragmentsMaxDefault;
};

/// How messages are returned: each one when it is complete, or in pieces as they arrive.
enum class Delivery : std::uint8_t { whole, pieces };

enum class EventKind : std::uint8_t {
  /// All of the input is consumed; continue with more bytes.
  need_more,
  /// Delivery::whole: a complete message.
  message,
  /// Delivery::pieces: some bytes of a message, which may split a UTF-8 character; the last piece
  /// may be empty.
  piece,
  ping,
  pong,
  /// The peer's close frame. All bytes after it are ignored.
  close,
  /// The peer violated a rule or a limit: see refusal(); each later call returns this, too.
  refused,
};

/// The result of one step.
/// type      type of a message or piece
/// is_last   whether the message ends with this piece
/// code      for close: the received code, or CloseCode::no_status; for refused: the code to send
/// consumed  bytes to remove from the start of the input
/// data      for message, piece, ping and pong: the payload; for close: the reason; for refused:
///           the reason to send. Points into the input, the scratch or a constant: valid until the
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
  /// limits  must outlive the reader
  MessageReader(Side side, const MessageLimits& limits) noexcept
      : limits_(&limits), frames_(side) {}
  MessageReader(Side side, const MessageLimits&& limits) = delete;

  /// Allows compressed messages. codec: must outlive the reader. Pre: nothing was read.
  void set_codec(MessageCodec& codec) noexcept;
  /// Pre: no message is incomplete.
  void set_delivery(Delivery delivery) noexcept { delivery_ = delivery; }

  /// Reads until there is an event, or the input ends.
  ///
  /// in       the bytes after those consumed so far, any number, cut anywhere
  /// scratch  a buffer that the readers of one thread share, one after the other; its content is
  ///          overwritten. It may grow up to the largest message.
  /// cost     one pass: unmasked while it is copied, and checked as UTF-8 while it is in the cache.
  ///          A message that is complete in `in` is not kept; a plain one to a client is not
  ///          copied.
  /// source   RFC 6455, sections 5.4 to 5.6, 7.1.5 to 7.4 and 8.1; RFC 7692, section 6.2
  [[nodiscard]] Event read(std::string_view in, Buffer& scratch);

  /// Returns the error, or Refusal::none.
  [[nodiscard]] Refusal refusal() const noexcept { return refusal_; }
  /// Returns whether the peer's close frame was received.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  /// Returns whether the reader is between messages and frames, so that no deadline is needed.
  [[nodiscard]] bool is_idle() const noexcept;
  /// Returns the heap memory that the reader uses for the current message.
  [[nodiscard]] std::size_t kept_bytes() const noexcept { return message_.capacity(); }

 private:
  /// Bytes of a message, unmasked and decompressed, and the error after them.
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
  /// Of the current message, decompressed.
  std::uint64_t message_bytes_ = 0;
  /// The current frame: payload_bytes is the missing part, and mask_key is rotated accordingly.
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
