#include "eider/io/ws/ws_session.h"

#include <algorithm>

namespace eider::ws::detail {

namespace {

/// After a handler has sent this much without waiting, others have their turn.
constexpr std::uint32_t kBytesPerTurnMax = 512U * 1024;

}  // namespace

std::string_view WsSession::reason() const noexcept {
  const WsRare* const rare = output_.rare_if_made();
  return rare == nullptr ? std::string_view() : std::string_view(rare->reason);
}

std::size_t WsSession::dropped_count() const noexcept {
  const WsRare* const rare = output_.rare_if_made();
  return rare == nullptr ? 0 : rare->dropped;
}

bool WsSession::has_saved() const noexcept {
  const WsRare* const rare = output_.rare_if_made();
  return rare != nullptr && !rare->saved.empty();
}

// Callbacks of the line.

void WsSession::on_bytes(std::string_view bytes) {
  // Start the handler before the first bytes are read, because they are for it.
  begin_handler();
  // Any input counts as a sign of life: no ping is needed.
  note_heard(output_.now());
  if (state_ >= State::leaving) {
    // If the peer still sends, its data is read and dropped for a while.
    if (!input_.drop(bytes.size())) {
      cut();
    }
    // Saved input comes first, so append the new bytes.
  } else if (has_saved()) {
    save(bytes);
  } else {
    guard([this, bytes] {
      if (const std::string_view rest = read(bytes); !rest.empty()) {
        save(rest);
      }
    });
  }
  settle();
}

void WsSession::on_end() {
  begin_handler();
  // Set the flag first: the response to the close frame then ends the connection.
  has_peer_ended_ = true;
  if (!owes_close_) {
    leave();
  }
  settle();
}

void WsSession::on_drained() {
  excuse_silence(output_.now());  // it was not read meanwhile
  note_drained(output_);
  wake_sender();
  if (state_ < State::leaving) {
    guard([this] { read_saved(); });
  }
  settle();
}

// No settle: the line's owner destroys this after the call, unless the handler continues.
void WsSession::on_broken() {
  if (state_ != State::over) {
    // The line is broken, so nothing may be written from here on.
    output_.forget_line();
    leave();
    state_ = State::over;
    wake_at_end();
  }
  // Inform the handler last: it must not use the line any more.
  tell_closed();
}

void WsSession::abandon_line() noexcept {
  output_.forget_line();
  state_ = State::over;
}

void WsSession::defer() {
  if (!is_deferred_) {
    is_deferred_ = true;
    output_.shared().defer(*this);
  }
}

void WsSession::run() {
  is_deferred_ = false;
  begin_handler();
  end_task();
  if (state_ >= State::leaving) {
    tell_closed();
  }
  // Saved bytes are read here, outside of handlers.
  if (state_ < State::leaving) {
    guard([this] { read_saved(); });
  }
  if (is_yielding_) {
    is_yielding_ = false;
    // Start its turn before waking the handler, which may send immediately.
    turn_bytes_ = 0;
    if (output_.waiting_bytes() == 0) {
      wake_sender();
    }
  }
  settle();
}

// Reading.

/// Returns the input that may not be read yet; nothing if the connection is leaving.
std::string_view WsSession::read(std::string_view in) {
  ws::MessageReader fresh(output_.shared().side(), output_.route().limits);
  if (output_.codec() != nullptr) {
    fresh.set_codec(*output_.codec());
  }
  ws::MessageReader& reader = input_.reader() == nullptr ? fresh : *input_.reader();
  // After each message, the handler may have closed the connection, or may have enough.
  while (!in.empty() && state_ < State::leaving && may_read()) {
    const ws::Event event = reader.read(in, output_.shared().scratch());
    in.remove_prefix(event.consumed);
    handle(event);
  }
  keep(reader);
  // One pong responds to all pings of this batch (RFC 6455, 5.5.3).
  respond_to_ping();
  if (!input_.is_within_message()) {
    note_message_ended();
  } else if (state_ == State::open) {
    note_message_begun(output_);
  }
  return state_ < State::leaving ? in : std::string_view();
}

/// Each connection may have a message of `message_bytes_max`, and a compressed one costs its client
/// only a thousandth of that.
void WsSession::keep(ws::MessageReader& reader) {
  WsInputBudget& budget = output_.shared().incomplete_messages();
  input_.keep(reader, budget);
  if (!output_.is_server() || budget.admits(input_.message_bytes())) {
    return;
  }
  if (state_ < State::leaving) {
    fail(CloseCode::try_again_later, "too many messages are incomplete");
  }
  input_.forget_message();
}

void WsSession::read_saved() {
  if (has_saved()) {
    eider::detail::base::SavedInput& saved = output_.rare().saved;
    // The memory is stable while it is read: only on_bytes appends, never from within a handler.
    const std::string_view rest = read(saved.view());
    saved.drop(saved.size() - rest.size());
  }
  if (is_paused_ && state_ < State::leaving && may_read()) {
    is_paused_ = false;
    // The time during which it was not read does not count as silence.
    excuse_silence(output_.now());
    output_.line()->resume_reading();
  }
}

void WsSession::read_on() noexcept {
  if (is_paused_ && may_read()) {
    defer();
  }
}

bool WsSession::may_read() const noexcept {
  if (state_ != State::open) {
    return true;  // messages are dropped, but the close frame must be read
  }
  // Input may need a response, if only a pong, even if no handler sends: otherwise a peer over
  // HTTP/2 that reads nothing would be read forever. A client continues to read: if both sides
  // stopped, each would wait for the other. Its pongs are limited by their number and by the pace.
  if (output_.is_server() && output_.waiting_bytes() > output_.options().backpressure_bytes_max) {
    return false;
  }
  return !is_full();
}

void WsSession::save(std::string_view bytes) {
  output_.rare().saved.append(bytes);
  if (!is_paused_) {
    is_paused_ = true;
    output_.line()->pause_reading();
  }
}

void WsSession::handle(const ws::Event& event) {
  switch (event.kind) {
    case ws::EventKind::message:
      // The message is complete before its handler is called, which may take long.
      note_message_ended();
      input_.note_message();
      if (state_ == State::open) {
        // The pong for a ping before the message is sent before the handler's response.
        respond_to_ping();
        deliver({event.type, event.data});
      }
      return;
    case ws::EventKind::ping:
    case ws::EventKind::pong:
      if (!input_.note_control_frame(output_.now(),
                                     output_.options().control_frames_per_second_max)) {
        fail(CloseCode::policy_violation, "too many control frames");
      } else if (event.kind == ws::EventKind::ping && state_ == State::open) {
        output_.shared().owe_pong(event.data);
        owes_pong_ = true;
        if (input_.answers_each_ping()) {
          respond_to_ping();
        }
      }
      return;
    case ws::EventKind::close:
      hear_close(event);
      return;
    case ws::EventKind::refused:
      fail(event.code, event.data);
      return;
    case ws::EventKind::need_more:
    case ws::EventKind::piece:
      return;
  }
}

void WsSession::respond_to_ping() {
  // No pong is sent after our close frame.
  if (owes_pong_ && state_ == State::open) {
    output_.put_pong(output_.shared().owed_pong().view());
    note_output(output_, output_.shared().owed_pong().size());
  }
  owes_pong_ = false;
}

// Writing.

void WsSession::put(const WsMessage& message) {
  const std::size_t bytes = output_.put(message);
  turn_bytes_ += static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kBytesPerTurnMax));
  // Update the pace before the flush, which may refuse the output.
  note_put(bytes);
  if (turn_bytes_ >= kBytesPerTurnMax && !is_yielding_) {
    is_yielding_ = true;
    defer();
  }
}

void WsSession::put_frames(const eider::detail::base::SharedBytes& frames) {
  if (frames.owner == nullptr) {
    output_.put_frames(frames.bytes);
    note_put(frames.bytes.size());
    return;
  }
  output_.put_shared(frames);
  note_output(output_, frames.bytes.size());
  if (output_.waiting_bytes() != 0) {
    watch_output(output_);
  }
}

void WsSession::note_put(std::size_t bytes) {
  note_output(output_, bytes);
  if (!output_.flush_much()) {
    watch_output(output_);
  }
}

bool WsSession::has_room() {
  if (output_.waiting_bytes() != 0) {
    watch_output(output_);  // otherwise the timer would find it
    return false;
  }
  return !is_yielding_;
}

WsSent WsSession::admits(std::size_t messages, SlowConsumer slow_consumer, bool are_lost) {
  if (state_ != State::open) {
    return WsSent::ended;
  }
  if (!are_lost && !output_.is_slow()) {
    return WsSent::taken;
  }
  output_.rare().dropped += messages;
  if (slow_consumer == SlowConsumer::disconnect) {
    begin_closing(CloseCode::try_again_later,
                  are_lost ? "messages were lost" : "the client reads too slowly");
    return WsSent::ended;
  }
  return WsSent::dropped;
}

void WsSession::send_ping(std::string_view payload) {
  if (state_ == State::open) {
    output_.put_ping(payload);
  }
}

// Closing.

void WsSession::begin_closing(CloseCode code, std::string_view reason) {
  // Respond to a pending close frame of the peer first: the handler will receive no more messages.
  respond_to_close();
  if (state_ != State::open) {
    return;
  }
  // The close frame is the last frame: nothing may follow it (RFC 6455, 5.5.1).
  output_.put_close(code, reason);
  note_reason(code, reason);
  // Change the state before others are informed.
  state_ = State::closing;
  leave_topics();
  expect_close(output_);
  if (has_peer_ended_) {
    leave();
  } else {
    read_on();  // the saved input may contain the peer's close frame
  }
}

// "An endpoint MAY delay sending a Close frame until its current message is sent" (RFC 6455,
// section 5.5.1): the handler first responds to the messages before it.
void WsSession::hear_close(const ws::Event& event) {
  note_reason(event.code, event.data);
  owes_close_ = true;
  if (state_ == State::open && inbox() != nullptr) {
    expect_close(output_);
  } else {
    // The handler has no more messages to receive, so the response need not wait.
    respond_to_close();
  }
}

void WsSession::respond_to_close() {
  if (!owes_close_) {
    return;
  }
  // Respond only once.
  owes_close_ = false;
  if (state_ == State::open) {
    respond_to_ping();
    output_.put_close(code_, {});  // the same code as the peer's
  }
  // Both close frames have been sent: the server may end the connection.
  is_clean_ = true;
  leave();
}

// RFC 6455, section 7.1.7: sends a close frame with the reason, and reads nothing more.
void WsSession::fail(CloseCode code, std::string_view reason) {
  if (state_ == State::open) {
    output_.put_close(code, reason);
    note_reason(code, reason);
  }
  leave();
}

void WsSession::note_reason(CloseCode code, std::string_view reason) {
  code_ = code;
  if (!reason.empty() || output_.rare_if_made() != nullptr) {
    output_.rare().reason = reason;
  }
}

// After the last frame: corked output is sent, and the handler is informed of the end. If the peer
// still sends, its data is read and dropped for a while; otherwise a reset might overtake our close
// frame.
void WsSession::leave() {
  if (state_ >= State::leaving) {
    return;
  }
  // From here on input is not parsed.
  state_ = State::leaving;
  input_.begin_dropping();
  // Leave the topics before the handler is informed of the end.
  leave_topics();
  expect_close(output_);
  wake_at_end();
  // The rest happens in `run`, outside of handlers.
  defer();
  UpgradedLine* const line = output_.line();
  if (line == nullptr) {
    return;
  }
  // "The server MUST close the connection first" in the normal case (section 7.1.1), so that the
  // server has the TIME_WAIT state. A shared stream has no such state, and a server that waited for
  // the client's end would wait for close_within.
  if (output_.is_server() || has_peer_ended_ || line->is_shared()) {
    line->end();
  }
  // The peer's end, or its reset, is noticed only while it is read.
  if (is_paused_) {
    is_paused_ = false;
    line->resume_reading();
  }
}

// The end of the line.

void WsSession::settle() {
  if (state_ == State::over) {
    if (is_served()) {
      output_.shared().release(*this);
    }
    return;
  }
  const bool may_end = (is_clean_ && output_.is_server()) || has_peer_ended_;
  if (state_ == State::leaving && may_end && is_served() && output_.line()->flush()) {
    end_line();
  }
}

// The line's owner destroys this later in the turn, unless the handler continues: then the timer
// does, which is kept for that.
void WsSession::end_line() noexcept {
  // Set the state before closing the line, which may call back.
  state_ = State::over;
  if (WsRare* const rare = output_.rare_if_made(); rare != nullptr && is_served()) {
    rare->alarm.reset();
  }
  // Forget the line first, so that nothing is written to it any more.
  output_.forget_line()->close();
  wake_at_end();
}

// Resets the line, because output in the kernel would wait for this peer forever.
void WsSession::cut() {
  if (output_.line() == nullptr) {
    return;
  }
  // Leave in the normal way, so that the handler is informed.
  leave();
  output_.line()->reset();
  end_line();
}

// Timeouts.

void WsSession::on_time() {
  switch (look(output_, is_paused_)) {
    case WsDue::nothing:
      break;
    case WsDue::ping:
      send_ping({});
      break;
    case WsDue::message_late:
      fail(CloseCode::policy_violation, "a message took too long to arrive");
      break;
    case WsDue::cut:
      cut();
      break;
    case WsDue::close:
      end_patience();
      break;
  }
  settle();
}

// First for the peer's close frame, then for our last bytes and the handler. While the peer reads
// earlier output, the time is extended.
void WsSession::end_patience() {
  // The response waits no longer: the handler had its time.
  if (owes_close_ && state_ != State::over) {
    respond_to_close();
    return;
  }
  if (state_ != State::closing) {
    if (!is_served() && takes_handler_time(output_)) {
      return;
    }
    // Messages that the handler has not received are dropped here.
    end_handler();
  }
  if (takes_more_time(output_)) {
    return;
  }
  const bool has_heard_all = output_.waiting_bytes() == 0 && output_.line() != nullptr;
  if (output_.is_server() && state_ == State::closing) {
    is_clean_ = true;
    leave();
  } else if (!output_.is_server() && has_heard_all) {
    // The server does not end the connection, so this client does, without a reset.
    leave();
    output_.line()->end();
    end_line();
  } else {
    cut();
  }
}

}  // namespace eider::ws::detail
