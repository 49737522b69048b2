// One end of a WebSocket, as RFC 6455 has it: frames, pings, the close handshake, deadlines.
// Must not know what its messages are for: the class that derives from it serves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/saved_input.h"
#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/upgraded.h"
#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_deadlines.h"
#include "eider/io/ws/ws_input.h"
#include "eider/io/ws/ws_output.h"
#include "eider/io/ws/ws_route.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws::detail {

/// What the line tells ends in `settle`, which may end the line, or destroy this: it is the last
/// thing in every such call.
class WsEndpoint : protected Deferred, private WsDeadlines {
 public:
  WsEndpoint(const WsEndpoint&) = delete;
  WsEndpoint& operator=(const WsEndpoint&) = delete;

  // As Upgraded has it.
  void on_bytes(std::string_view bytes);
  void on_end();
  void on_drained();
  void on_broken();

  /// Pre: is_open().
  void put(const WsMessage& message);
  /// Frames that other connections send, too. Without an owner they are copied.
  void put_frames(const eider::detail::base::SharedBytes& frames);
  /// Whether there is room for so many messages; does as `when_slow` says when there is none.
  ///
  /// are_lost  they are not there any more
  WsSent admits(std::size_t messages, WhenSlow when_slow, bool are_lost = false);
  /// Nothing waits, and this one's turn is not over. Else `on_room` follows.
  [[nodiscard]] bool has_room();
  void send_ping(std::string_view payload);
  void begin_closing(CloseCode code, std::string_view reason);

  [[nodiscard]] bool is_open() const noexcept { return state_ == State::open; }
  [[nodiscard]] CloseCode code() const noexcept { return code_; }
  [[nodiscard]] std::string_view reason() const noexcept;
  /// Messages that found no room.
  [[nodiscard]] std::size_t dropped_count() const noexcept;
  [[nodiscard]] const WsOutput& output() const noexcept { return output_; }

 protected:
  enum class State : std::uint8_t {
    open,
    closing,  // our close frame has left first; the peer's is awaited
    leaving,  // nothing more is said or heard; what is corked leaves, and the handler ends
    over,     // the line is closed or gone
  };
  /// What few connections need, made when first needed.
  struct Rare {
    eider::detail::base::SavedInput saved;  // what may not be read yet
    std::string reason;
    std::size_t dropped = 0;
    // Of the handler.
    std::unique_ptr<WebSocketHandlers> handlers;
    WsHandler starting;
  };

  WsEndpoint(WsShared& shared, const WsRoute& route, UpgradedLine& line,
             const std::optional<ws::DeflateTerms>& compression);
  ~WsEndpoint() = default;

  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] Rare& rare();
  void forget_rare() noexcept { rare_.reset(); }
  /// It is over: the line is not touched any more.
  void abandon_line() noexcept;
  /// What was put off to where no handler is under way.
  void run() override;
  /// What was saved is read later in this turn, if that may be again.
  void read_on() noexcept;
  /// Nothing if none is owed: the handler has received all that came ahead of the peer's close
  /// frame.
  void answer_close();
  void settle();
  /// What `call` throws is logged, and ends the connection with 1011.
  template <class Call>
  void guard(Call call) noexcept;

  // What it is for. None of these may throw but on_message.

  virtual void on_message(const WsMessage& message) = 0;
  virtual void on_failure(const std::exception_ptr& thrown) noexcept = 0;
  /// There may be room for more messages.
  virtual void on_room() noexcept = 0;
  /// It gets nothing any more of what is published.
  virtual void on_closing() noexcept = 0;
  /// Told when it is leaving, and when it is over.
  virtual void on_ending() noexcept = 0;
  /// Messages were given that it has not looked at.
  [[nodiscard]] virtual bool has_unserved() const noexcept = 0;
  /// So many that no more are to be read.
  [[nodiscard]] virtual bool is_full() const noexcept = 0;
  /// It has heard of the end, and come to its own.
  [[nodiscard]] virtual bool is_served() const noexcept = 0;
  /// It has had its time: it ends now.
  virtual void end_serving() noexcept = 0;
  /// It is over, and served: may destroy this.
  virtual void on_settled() noexcept = 0;

 private:
  [[nodiscard]] std::string_view read(std::string_view in);
  void read_saved();
  void save(std::string_view bytes);
  void handle(const ws::Event& event);
  [[nodiscard]] bool may_read() const noexcept;
  void answer_ping();

  void note_put(std::size_t bytes);

  void hear_close(const ws::Event& event);
  void fail(CloseCode code, std::string_view reason);
  void note_reason(CloseCode code, std::string_view reason);
  void leave();
  void cut();
  void end_line() noexcept;

  void expire() override;
  void end_patience();

  // The small ones first: they fill what the deadlines leave of their last word.
  State state_ = State::open;
  CloseCode code_ = CloseCode::abnormal;
  bool has_peer_ended_ : 1 = false;
  bool is_clean_ : 1 = false;     // nothing more is expected from the peer
  bool owes_close_ : 1 = false;   // the answer to the peer's
  bool owes_pong_ : 1 = false;    // its payload is in WsShared::owed_pong
  bool is_paused_ : 1 = false;    // the line; what came before is saved
  bool is_yielding_ : 1 = false;  // until its turn begins anew
  std::unique_ptr<Rare> rare_;
  WsInput input_;
  [[no_unique_address]] WsOutput output_;  // its last word has room for what is derived
};

template <class Call>
void WsEndpoint::guard(Call call) noexcept {
  try {
    call();
  } catch (...) {
    on_failure(std::current_exception());
    begin_closing(CloseCode::internal_error, "the server failed");
  }
}

}  // namespace eider::ws::detail
