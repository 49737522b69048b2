// What one WebSocket receives: frames become events, and what comes too often is counted.
// Must not answer, nor keep what may not be read yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/time.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws::detail {

class WsInput {
 public:
  /// limits  outlives it
  WsInput(ws::Side side, const ws::MessageLimits& limits) noexcept : reader_(side, limits) {}

  /// From now on messages may be compressed. codec: outlives the last call.
  void decompress_by(ws::MessageCodec& codec) noexcept { reader_.set_codec(codec); }
  /// The event's bytes are dropped from the front of `in`.
  [[nodiscard]] ws::Event next(std::string_view& in, Buffer& scratch) {
    const ws::Event event = reader_.read(in, scratch);
    in.remove_prefix(event.consumed);
    return event;
  }
  [[nodiscard]] bool is_within_message() const noexcept { return !reader_.is_idle(); }

  // Pings and pongs of one second since the last message.
  void note_message() noexcept { counted_ = 0; }
  /// returns  false: that was one too many
  [[nodiscard]] bool note_control_frame(Instant now, std::uint32_t per_second_max) noexcept;
  /// So few that each ping is answered, in its place among the messages. Of more only the last one
  /// of each batch is (RFC 6455, section 5.5.3).
  [[nodiscard]] bool answers_each_ping() const noexcept { return counted_ <= kPingsAnsweredEach; }

  // Behind our last word what comes is dropped.
  void begin_dropping() noexcept { counted_ = 0; }
  /// returns  false: that was too much
  [[nodiscard]] bool drop(std::size_t bytes) noexcept;

 private:
  static constexpr std::uint32_t kPingsAnsweredEach = 16;

  ws::MessageReader reader_;
  std::uint32_t second_ = 0;
  std::uint32_t counted_ = 0;  // control frames of that second, or bytes that were dropped
};

}  // namespace eider::ws::detail
