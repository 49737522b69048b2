// The deadlines of one WebSocket: ping, message, output, close.
// Layering: must not act on missed deadlines: the session does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "eider/io/runtime/time.h"
#include "eider/io/ws/ws_input_budget.h"
#include "eider/io/ws/ws_output.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws::detail {

/// The input of one WebSocket: the current message, and the counts of frequent frames.
class WsInput {
 public:
  /// Returns the reader of a message, or a close frame, that has arrived in part. Null between
  /// messages: a reader for each connection would be as large as the rest of its session.
  [[nodiscard]] ws::MessageReader* reader() noexcept {
    return kept_ == nullptr ? nullptr : &kept_->reader;
  }
  [[nodiscard]] bool is_within_message() const noexcept {
    return kept_ != nullptr && !kept_->reader.is_idle();
  }
  /// used  has read up to here: reader(), or a new one that is kept if it must continue
  ///
  /// budget  counts the memory of the incomplete message
  void keep(ws::MessageReader& used, WsInputBudget& budget);
  [[nodiscard]] std::size_t message_bytes() const noexcept {
    return kept_ == nullptr ? 0 : kept_->held.bytes();
  }
  /// Frees an incomplete message whose rest is dropped.
  void forget_message() noexcept { kept_.reset(); }
  /// Returns when the current message started, or Instant::max() if that is unknown.
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
  /// returns  false if that was one too many
  [[nodiscard]] bool note_control_frame(Instant now, std::uint32_t per_second_max) noexcept;
  /// Returns whether there are so few pings that each gets a pong, in order with the messages.
  /// Otherwise only the last one of each batch gets a pong (RFC 6455, section 5.5.3).
  [[nodiscard]] bool answers_each_ping() const noexcept { return counted_ <= kPingsAnsweredEach; }

  // After our last message, input is dropped.
  void begin_dropping() noexcept { counted_ = 0; }
  /// returns  false if that was too much
  [[nodiscard]] bool drop(std::size_t bytes) noexcept;

 private:
  static constexpr std::uint32_t kPingsAnsweredEach = 16;

  struct Kept {
    Kept(ws::MessageReader&& used, WsInputBudget& budget) noexcept
        : reader(std::move(used)), held(budget) {}

    ws::MessageReader reader;
    Instant begun = Instant::max();
    WsHeldInput held;
  };

  std::unique_ptr<Kept> kept_;
  std::uint32_t counted_ = 0;  // control frames of that second, or dropped bytes
  std::uint16_t second_ = 0;   // its lowest bits: they repeat after 18 hours
};

/// The deadline that has passed.
enum class WsDue : std::uint8_t {
  nothing,
  ping,          ///< the peer was silent: send a ping
  message_late,  ///< its message has not ended in time
  cut,           ///< disconnect: it does not respond, or reads too slowly
  close,         ///< the time for the close is over: see WsDeadlines::takes_more_time
};

/// The derived class calls `look` in `on_time`. Input does not move the timer: when it expires, it
/// is set to the remaining time.
class WsDeadlines : public Upgraded {
 public:
  /// Starts waiting for input.
  void begin(WsOutput& output);

  /// Pre: not called from within `look`.
  [[nodiscard]] WsDue look(WsOutput& output, bool is_paused);

  /// Notes that bytes have arrived.
  void note_heard(Instant now) noexcept;
  /// Notes that a message is in progress. Its time limit starts now, unless it has already started.
  void note_message_begun(WsOutput& output);
  void note_message_ended() noexcept { input_.set_begun(Instant::max()); }
  /// Excuses the silence of a peer that is not read: it can neither send nor end its message.
  void excuse_silence(Instant now) noexcept;

  /// Watches waiting output: its reader must keep the minimum pace from now on.
  void watch_output(WsOutput& output);
  void note_output(WsOutput& output, std::size_t bytes) noexcept;
  void note_drained(WsOutput& output) noexcept;

  /// Waits only for the close from now on. Waiting output is checked when that time is over.
  void expect_close(WsOutput& output);
  /// Shortens the time for the close to one second, now and later, because the server stops.
  void hasten_close(WsOutput& output);
  /// Pre: `close` was due. If the time was shortened, gives the handler all of the usual time.
  [[nodiscard]] bool takes_handler_time(WsOutput& output);
  /// Pre: `close` was due. While the peer reads earlier output, it gets the same time again.
  [[nodiscard]] bool takes_more_time(WsOutput& output);

 private:
  Instant heard_;

 protected:
  [[no_unique_address]] WsInput input_;  // its last bytes are unused, and the next members use them

 private:
  enum class Awaited : std::uint8_t { sound, pong, room, close, hastened_close };

  [[nodiscard]] WsDue look_at_sound(WsOutput& output, bool is_paused);
  [[nodiscard]] WsDue look_at_output(WsOutput& output, bool is_paused);
  [[nodiscard]] bool keeps_up(WsOutput& output, Duration span);
  [[nodiscard]] Duration close_span(const WsOutput& output) const noexcept;
  [[nodiscard]] Instant message_due(const WebSocketOptions& options) const noexcept;
  void await(WsOutput& output, Awaited awaited, Instant due);

  Awaited awaited_ = Awaited::sound;
};

}  // namespace eider::ws::detail
