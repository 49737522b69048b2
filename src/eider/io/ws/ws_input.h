// The input of one WebSocket: the message under way, and the count of what comes too often.
// Layering: must not act on what it finds: the session does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws::detail {

class WsInput {
 public:
  /// Of a message, or a close frame, that has come in part. Null between messages: a reader for
  /// each connection would be as large as all of the rest of its session.
  [[nodiscard]] ws::MessageReader* reader() noexcept {
    return kept_ == nullptr ? nullptr : &kept_->reader;
  }
  [[nodiscard]] bool is_within_message() const noexcept {
    return kept_ != nullptr && !kept_->reader.is_idle();
  }
  /// used  has read up to here: reader(), or a new one that goes on later if it has to
  void keep(ws::MessageReader& used);
  /// When the message under way has begun; Instant::max() where that is not known.
  [[nodiscard]] Instant begun() const noexcept {
    return kept_ == nullptr ? Instant::max() : kept_->begun;
  }
  void set_begun(Instant begun) noexcept {
    if (kept_ != nullptr) {
      kept_->begun = begun;
    }
  }

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

  struct Kept {
    ws::MessageReader reader;
    Instant begun = Instant::max();
  };

  std::unique_ptr<Kept> kept_;
  std::uint32_t counted_ = 0;  // control frames of that second, or bytes that were dropped
  std::uint16_t second_ = 0;   // its last bits: the same ones come again after 18 hours
};

}  // namespace eider::ws::detail
