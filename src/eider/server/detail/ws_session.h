// One WebSocket connection: joins http/ws with the line that it has taken over, and the handler.
// Must not hold a buffer while nothing is under way, and never runs a handler from another's call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/http/ws/message_reader.h"
#include "eider/runtime/deferred.h"
#include "eider/runtime/task.h"
#include "eider/runtime/time.h"
#include "eider/runtime/timer.h"
#include "eider/server/detail/saved_input.h"
#include "eider/server/detail/ws_hub.h"
#include "eider/server/detail/ws_inbox.h"
#include "eider/server/upgrade.h"
#include "eider/server/websocket.h"
#include "eider/server/ws_route.h"

namespace eider::detail {

class WsSession final : public WebSocketRef, private TaskOwner, private Deferred, private Timer {
 public:
  WsSession(WsHub& hub, const WsRoute& route, UpgradedLine& line, const WsAgreement& agreement);
  ~WsSession();

  // One of these, once. What they start begins later in this turn, or with the first bytes.
  void start(WsHandler handler);
  /// handlers  outlive the session
  void start(const WebSocketHandlers& handlers);
  void start(std::unique_ptr<WebSocketHandlers> handlers);

  // As Upgraded has it.
  void on_bytes(std::string_view bytes);
  void on_end();
  void on_drained();
  void on_broken();
  void on_stopping();
  /// The line is gone. Whether somebody still has to hear of it, and the hub has to keep this.
  [[nodiscard]] bool outlives_line() noexcept;
  [[nodiscard]] WsHub& hub() noexcept { return hub_; }

  // For WebSocketRef and WebSocket.
  void put(const WsMessage& message);
  [[nodiscard]] WsSent put_unless_slow(const WsMessage& message) {
    return put_unless_slow(message, route_.options.when_slow);
  }
  [[nodiscard]] WsSent put_unless_slow(const WsMessage& message, WhenSlow when_slow);
  void close(CloseCode code, std::string_view reason);
  void send_ping(std::string_view payload);
  [[nodiscard]] bool is_open() const noexcept { return state_ == State::open; }
  [[nodiscard]] CloseCode code() const noexcept { return code_; }
  [[nodiscard]] std::string_view reason() const noexcept;
  [[nodiscard]] std::string_view agreed_subprotocol() const noexcept;
  [[nodiscard]] std::string address() const;
  [[nodiscard]] std::size_t dropped_count() const noexcept { return dropped_; }

  // For the coroutine that waits.
  void change_handle(WebSocket* handle) noexcept { handle_ = handle; }
  [[nodiscard]] bool has_news();
  [[nodiscard]] std::optional<WsMessage> take();
  [[nodiscard]] bool has_room() noexcept;
  // Who is woken from them looks again for what it waits for.
  [[nodiscard]] WsWaiter::Queue& arrival() noexcept { return arrival_; }
  [[nodiscard]] WsWaiter::Queue& room() noexcept { return room_; }

  // For the hub.
  [[nodiscard]] WsForm form() const noexcept { return form_; }
  /// Whether there is room for published messages; does as the route says when there is none.
  ///
  /// count  how many they are
  [[nodiscard]] bool admits_published(std::size_t count);
  void put_frames(std::string_view frames);
  WsSubscription* subscriptions = nullptr;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::uint32_t first_pending = kNone;
  std::uint32_t last_pending = kNone;

 private:
  enum class State : std::uint8_t {
    open,
    closing,  // our close frame has left first; the client's is awaited
    leaving,  // nothing more is said or heard; what is corked leaves, and the handler ends
    over,     // the line is closed or gone
  };
  /// What the timer waits for.
  enum class Patience : std::uint8_t { silence, pong, write, close };

  /// What few connections need, made when first needed.
  struct Extras {
    SavedInput saved;
    std::string reason;
    std::unique_ptr<WebSocketHandlers> handlers;
    WsHandler starting;
  };
  [[nodiscard]] Extras& extras();

  // Reading.
  [[nodiscard]] std::string_view read(std::string_view in);
  void read_saved();
  void note_progress();
  [[nodiscard]] bool may_read() const noexcept;
  void save(std::string_view bytes);
  void handle(const ws::Event& event);
  void receive(const WsMessage& message);
  void receive_ping(std::string_view payload);
  void answer_ping();
  [[nodiscard]] bool is_flood();
  void discard(std::size_t bytes);

  // Writing.
  void spend(std::size_t bytes);
  [[nodiscard]] std::size_t waiting_bytes() noexcept;
  [[nodiscard]] bool is_slow() noexcept;
  void refuse_slow(WhenSlow when_slow, std::size_t count);

  // Ending.
  void begin_closing(CloseCode code, std::string_view reason);
  void hear_close(const ws::Event& event);
  void answer_close();
  void fail(CloseCode code, std::string_view reason);
  void write_close(CloseCode code, std::string_view reason);
  void leave();
  void cut();
  void end_line() noexcept;
  void settle();
  void note_reason(CloseCode code, std::string_view reason);
  [[nodiscard]] bool is_handler_done() const noexcept;
  void wake(WsWaiter::Queue& queue) noexcept;

  // The handler.
  void begin_handler() noexcept;
  void on_task_done() noexcept override;
  void run() override;
  void end_task() noexcept;
  void tell_closed() noexcept;
  void log_failure(const std::exception_ptr& thrown) noexcept;
  template <class Call>
  void guard(Call call) noexcept;

  // Time.
  void expire() override;
  void expect(Patience patience, Instant due);
  void lose_patience();
  void look_at_silence();
  void look_at_writing();
  [[nodiscard]] bool takes_enough(Duration span) noexcept;
  void end_patience();
  void watch_writing();
  [[nodiscard]] Instant now() const noexcept { return hub_.loop().now(); }

  WsHub& hub_;
  const WsRoute& route_;
  UpgradedLine* line_;                           // null when it is closed or gone
  const WebSocketHandlers* handlers_ = nullptr;  // null with a coroutine
  WebSocket* handle_ = nullptr;
  Task<> task_;
  ws::MessageReader reader_;
  std::unique_ptr<ws::MessageCodec> codec_;
  std::unique_ptr<WsInbox> inbox_;  // null while there is no message
  std::unique_ptr<Extras> extras_;
  WsWaiter::Queue arrival_;
  WsWaiter::Queue room_;
  Instant heard_;
  Instant message_begun_ = Instant::max();  // of the message under way
  // What waited when the span of `write` or `close` began, and what has been added since.
  std::size_t progress_ = 0;
  // Sent since others had their turn; behind the last word: discarded.
  std::uint32_t turn_bytes_ = 0;
  std::uint32_t dropped_ = 0;
  std::uint32_t control_second_ = 0;
  std::uint32_t control_frames_ = 0;  // of that second, since the last message
  CloseCode code_ = CloseCode::abnormal;
  State state_ = State::open;
  Patience patience_ = Patience::silence;
  WsForm form_ = WsForm::plain;
  std::uint8_t subprotocol_;
  bool is_started_ : 1 = false;
  bool has_peer_ended_ : 1 = false;
  bool is_clean_ : 1 = false;        // nothing more is expected from the client
  bool is_answer_owed_ : 1 = false;  // the client has closed, and the handler has not received all
  bool is_paused_ : 1 = false;
  bool is_yielding_ : 1 = false;
  bool is_deaf_ : 1 = false;      // the handler has closed: it gets no more messages
  bool owes_closed_ : 1 = false;  // `opened` was called
  bool owes_pong_ : 1 = false;
  bool is_orphan_ : 1 = false;  // the line has gone before the handler's end
};

template <class Call>
void WsSession::guard(Call call) noexcept {
  try {
    call();
  } catch (...) {
    log_failure(std::current_exception());
    begin_closing(CloseCode::internal_error, "the server failed");
  }
}

// An idle connection costs this, its line, and the handler's frame when there is one.
static_assert(sizeof(WsSession) <= 328);

}  // namespace eider::detail
