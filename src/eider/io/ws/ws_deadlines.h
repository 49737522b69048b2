// The deadlines of one WebSocket: ping, message, output, close.
// Layering: must not act on missed deadlines: the endpoint checks them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "eider/io/runtime/time.h"
#include "eider/io/ws/ws_input.h"
#include "eider/io/ws/ws_output.h"

namespace eider::ws::detail {

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
