// One WebSocket connection of either side (RFC 6455): protocol, handler and topics.
// Layering: must not have a buffer while it is idle, and never runs a handler within the call of
// another one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/upgraded.h"
#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_deadlines.h"
#include "eider/io/ws/ws_inbox.h"
#include "eider/io/ws/ws_input_budget.h"
#include "eider/io/ws/ws_output.h"
#include "eider/io/ws/ws_route.h"
#include "eider/io/ws/ws_shared.h"
#include "eider/protocols/http/ws/message_reader.h"

namespace eider::ws::detail {

/// Each callback of the line ends with `settle`, which may end the line or destroy this object, so
/// nothing may follow it.
///
/// For a server's line it is the Upgraded object, and may outlive that line until its handler has
/// ended.
class WsSession final : public WsDeadlines, public WebSocketRef {
 public:
  WsSession(WsShared& shared, const WsRoute& route, UpgradedLine& line,
            const WsAgreement& agreement);
  ~WsSession() override;
  WsSession(const WsSession&) = delete;
  WsSession& operator=(const WsSession&) = delete;

  /// Call it once. The handler starts later in this turn, or with the first bytes.
  void start(WsPurpose purpose);
  /// Used instead of `start` by an owner that is not a handler: messages wait for it. It may
  /// destroy the session after it was informed of the end.
  [[nodiscard]] WebSocket hand_out();

  // Implements Upgraded.
  void on_bytes(std::string_view bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_broken() override;
  void on_stopping() override;
  void on_time() override;
  /// Destroys it, unless its handler has not ended: WsShared then keeps it until that.
  /// Pre: created by WsShared::make_session.
  void on_line_gone() noexcept override;

  // Sending.
  /// Pre: is_open().
  void put(const WsMessage& message);
  /// Sends frames that other connections also send. Without an owner they are copied.
  void put_frames(const eider::detail::base::SharedBytes& frames);
  /// Returns whether there is room for that many messages; if not, applies `slow_consumer`.
  ///
  /// are_lost  the messages no longer exist
  WsSent admits(std::size_t messages, SlowConsumer slow_consumer, bool are_lost = false);
  /// Returns whether no output waits and its share of the turn is not used up. If not, room() is
  /// woken later.
  [[nodiscard]] bool has_room();
  void send_ping(std::string_view payload);
  void begin_closing(CloseCode code, std::string_view reason);

  [[nodiscard]] bool is_open() const noexcept { return state_ == State::open; }
  [[nodiscard]] CloseCode code() const noexcept { return code_; }
  [[nodiscard]] std::string_view reason() const noexcept;
  /// Returns the number of messages for which there was no room.
  [[nodiscard]] std::size_t dropped_count() const noexcept;
  [[nodiscard]] const WsOutput& output() const noexcept { return output_; }

  // For the handler.
  void close(CloseCode code, std::string_view reason);
  /// If other loops cannot keep up with the published messages, this connection is not read.
  ///
  /// except  does not get the message; may be null
  void publish(std::string_view topic, const WsMessage& message, const WsSession* except);
  [[nodiscard]] std::string_view agreed_subprotocol() const noexcept;
  [[nodiscard]] std::string address() const;

  // For the hub.
  /// Returns its list of subscriptions.
  [[nodiscard]] WsSubscriptionLink*& subscriptions() noexcept { return subscriptions_; }
  void hold_back() noexcept { is_held_back_ = true; }
  void go_on_reading() noexcept;

  // For WsShared.
  /// Runs the deferred work, outside of handlers.
  void run();

  // For the waiting coroutine.
  void change_handle(WebSocket* handle) noexcept { coroutine()->handle = handle; }
  [[nodiscard]] bool has_news();
  [[nodiscard]] std::optional<WsMessage> take();
  [[nodiscard]] WsWaiter::Queue& arrival() noexcept { return coroutine()->arrival; }
  [[nodiscard]] WsWaiter::Queue& room() noexcept { return coroutine()->room; }

 private:
  enum class State : std::uint8_t {
    open,
    closing,  // our close frame was sent first; waits for the peer's
    leaving,  // nothing is sent or received any more; corked output is sent, and the handler ends
    over,     // the line is closed or gone
  };
  enum class ServedBy : std::uint8_t { callbacks, own_callbacks, coroutine };

  /// The members that only coroutines need: the task, and the coroutines that wait.
  struct Coroutine final : TaskOwner {
    explicit Coroutine(WsSession& its_session) noexcept
        : session(its_session), held(its_session.output_.shared().waiting_messages()) {}
    void on_task_done() noexcept override { session.defer(); }

    WsSession& session;
    std::unique_ptr<WsHandler> starting;  // null after it was called
    WebSocket* handle = nullptr;
    Task<> task;
    std::unique_ptr<WsInbox> inbox;  // null while there are no messages
    WsHeldInput held;                // the memory of the inbox
    WsWaiter::Queue arrival;
    WsWaiter::Queue room;
  };

  /// Returns null with callbacks.
  [[nodiscard]] Coroutine* coroutine() const noexcept {
    return served_by_ == ServedBy::coroutine ? coroutine_ : nullptr;
  }
  /// Returns null with a coroutine.
  [[nodiscard]] const WebSocketHandlers* callbacks() const noexcept {
    return served_by_ == ServedBy::coroutine ? nullptr : callbacks_;
  }
  Coroutine& make_coroutine();
  void drop_handler() noexcept;
  [[nodiscard]] WsInbox* inbox() const noexcept {
    return coroutine() == nullptr ? nullptr : coroutine()->inbox.get();
  }
  void defer();
  /// Ends the session: the line is not used any more.
  void abandon_line() noexcept;

  // Reading.
  [[nodiscard]] std::string_view read(std::string_view in);
  [[nodiscard]] bool has_saved() const noexcept;
  void read_saved();
  /// Reads the saved input later in this turn, if reading is allowed again.
  void read_on() noexcept;
  [[nodiscard]] bool may_read() const noexcept;
  /// Returns whether the handler has so many messages, or this and other handlers together so many
  /// bytes, that no more should be read.
  [[nodiscard]] bool is_full() const noexcept;
  /// Returns whether the message may wait for the handler. If other messages wait already, it may:
  /// the next one is not read (is_full).
  [[nodiscard]] bool has_memory_for(const WsMessage& message) const;
  /// Keeps an incomplete message, if there is memory for it. Otherwise closes the connection.
  void keep(ws::MessageReader& reader);
  void save(std::string_view bytes);
  void handle(const ws::Event& event);
  void respond_to_ping();

  void note_put(std::size_t bytes);

  // Closing.
  void hear_close(const ws::Event& event);
  /// Sends the response to the peer's close frame, if one is owed: the handler has received all
  /// messages before it.
  void respond_to_close();
  void fail(CloseCode code, std::string_view reason);
  void note_reason(CloseCode code, std::string_view reason);
  void leave();
  void leave_topics() noexcept;
  void cut();
  void end_line() noexcept;
  void settle();

  void end_patience();

  // The handler.
  /// Logs an exception of `call`, and ends the connection with 1011.
  template <class Call>
  void guard(Call call) noexcept;
  void log_failure(const std::exception_ptr& thrown) noexcept;
  void deliver(const WsMessage& message);
  /// Returns whether the handler was informed of the end, and has ended.
  [[nodiscard]] bool is_served() const noexcept {
    return (coroutine() == nullptr || coroutine()->task.is_empty()) && !owes_closed_ && is_started_;
  }
  /// Ends the handler, because its time is over.
  void end_handler() noexcept;
  void begin_handler() noexcept;
  void end_task() noexcept;
  void tell_closed() noexcept;
  [[nodiscard]] bool is_end_told() const noexcept;
  void wake_at_end() noexcept;
  void wake(WsWaiter::Queue& queue) noexcept;
  void wake_sender() noexcept;

  // The small members come first: they fill the last word of WsDeadlines.
  std::uint8_t subprotocol_;
  CloseCode code_ = CloseCode::abnormal;
  State state_ : 2 = State::open;
  ServedBy served_by_ : 2 = ServedBy::callbacks;
  bool has_peer_ended_ : 1 = false;
  bool is_clean_ : 1 = false;     // no more input is expected from the peer
  bool owes_close_ : 1 = false;   // the response to the peer's close frame
  bool owes_pong_ : 1 = false;    // its payload is in WsShared::owed_pong
  bool is_paused_ : 1 = false;    // the line is paused; earlier input is saved
  bool is_yielding_ : 1 = false;  // until its next turn
  bool is_started_ : 1 = false;
  bool is_held_back_ : 1 = false;
  bool has_closed_ : 1 = false;   // the handler has closed it: it gets no more messages
  bool owes_closed_ : 1 = false;  // `opened` was called, so `closed` must follow
  bool is_deferred_ : 1 = false;
  std::uint32_t turn_bytes_ = 0;  // bytes written since others had their turn
  WsSubscriptionLink* subscriptions_ = nullptr;
  union {
    const WebSocketHandlers* callbacks_ = nullptr;
    Coroutine* coroutine_;
  };
  WsOutput output_;
};

// An idle connection costs this object and its line, 192 bytes, and with a coroutine also that and
// its frame. uWebSockets, the leanest alternative, uses 250 bytes; we promise at most 300.
static_assert(sizeof(WsSession) <= 88);

template <class Call>
void WsSession::guard(Call call) noexcept {
  try {
    call();
  } catch (...) {
    log_failure(std::current_exception());
    begin_closing(CloseCode::internal_error, "the server failed");
  }
}

}  // namespace eider::ws::detail
