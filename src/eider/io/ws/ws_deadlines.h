// The deadlines of one WebSocket: ping, message, output, close.
// Layering: must not act on missed deadlines: the endpoint checks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "eider/io/runtime/time.h"
#include "eider/io/ws/ws_output.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws::detail {

/// The input of one WebSocket: the message under way, and the count of what comes too often.
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

/// What is due.
enum class WsDue : std::uint8_t {
  nothing,
  ping,          ///< the peer has been silent
  message_late,  ///< its message has no end
  cut,           ///< it is gone, or takes too little
  close,         ///< the time for the close has passed: see WsDeadlines::takes_more_time
};

/// The class that derives from it looks in `on_time`. The time is not moved by what arrives: it
/// comes, and the rest is waited for.
class WsDeadlines : public Upgraded {
 public:
  /// Waits for a sign of life.
  void begin(WsOutput& output);

  /// Pre: not within another look.
  [[nodiscard]] WsDue look(WsOutput& output, bool is_paused);

  /// Bytes have come.
  void note_heard(Instant now) noexcept;
  /// There is a message under way, if there was none before; from here on it has its time.
  void note_message_begun(WsOutput& output);
  void note_message_ended() noexcept { input_.set_begun(Instant::max()); }
  /// A peer that is not read from can neither speak nor end its message.
  void excuse_silence(Instant now) noexcept;

  /// Output waits: its reader is held to the least pace from here on.
  void watch_output(WsOutput& output);
  void note_output(WsOutput& output, std::size_t bytes) noexcept;
  void note_drained(WsOutput& output) noexcept;

  /// From here on only the close is waited for. Output that waits is looked at when that time is
  /// over.
  void expect_close(WsOutput& output);
  /// Pre: `close` was due. While the peer takes what was sent before, it gets as much time again.
  [[nodiscard]] bool takes_more_time(WsOutput& output);

 private:
  Instant heard_;

 protected:
  [[no_unique_address]] WsInput input_;  // its last bytes are free, and hold what follows

 private:
  enum class Awaited : std::uint8_t { sound, pong, room, close };

  [[nodiscard]] WsDue look_at_sound(WsOutput& output, bool is_paused);
  [[nodiscard]] WsDue look_at_output(WsOutput& output, bool is_paused);
  [[nodiscard]] bool keeps_up(WsOutput& output, Duration span);
  [[nodiscard]] Instant message_due(const WebSocketOptions& options) const noexcept;
  void await(WsOutput& output, Awaited awaited, Instant due);

  Awaited awaited_ = Awaited::sound;
};

}  // namespace eider::ws::detail
