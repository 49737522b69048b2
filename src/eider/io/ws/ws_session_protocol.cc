#include "eider/io/ws/ws_session.h"

#include <algorithm>

namespace eider::ws::detail {

namespace {

/// A handler that has sent as much without waiting lets others have their turn.
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

// What the line tells.

void WsSession::on_bytes(std::string_view bytes) {
  // The handler begins before the first bytes are read, which are for it.
  begin_handler();
  // It is heard, whatever it says: a ping is not due.
  note_heard(output_.now());
  if (state_ >= State::leaving) {
    // A peer that still sends is read from in silence for a while.
    if (!input_.drop(bytes.size())) {
      cut();
    }
    // What was saved comes first, so this stands behind it.
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
  // It is noted first: answering the close ends the connection then.
  has_peer_ended_ = true;
  if (!owes_close_) {
    leave();
  }
  settle();
}

void WsSession::on_drained() {
  excuse_silence(output_.now());  // it was not read from meanwhile
  note_drained(output_);
  wake_sender();
  if (state_ < State::leaving) {
    guard([this] { read_saved(); });
  }
  settle();
}

// No settle: the line's owner destroys this when the call has returned, unless the handler goes on.
void WsSession::on_broken() {
  if (state_ != State::over) {
    // The line is gone, so nothing may be written from here on.
    output_.forget_line();
    leave();
    state_ = State::over;
    wake_at_end();
  }
  // The handler hears of the end last: it may not use the line any more.
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
  // Saved bytes are read here, where no handler is under way.
  if (state_ < State::leaving) {
    guard([this] { read_saved(); });
  }
  if (is_yielding_) {
    is_yielding_ = false;
    // Its turn begins again before the handler is woken, which sends at once.
    turn_bytes_ = 0;
    if (output_.waiting_bytes() == 0) {
      wake_sender();
    }
  }
  settle();
}

// Reading.

/// What may not be read yet is left; nothing once the connection is leaving.
std::string_view WsSession::read(std::string_view in) {
  ws::MessageReader fresh(output_.shared().side(), output_.route().limits);
  if (output_.codec() != nullptr) {
    fresh.set_codec(*output_.codec());
  }
  ws::MessageReader& reader = input_.reader() == nullptr ? fresh : *input_.reader();
  // A handler may close the connection, or have enough, behind each message.
  while (!in.empty() && state_ < State::leaving && may_read()) {
    const ws::Event event = reader.read(in, output_.shared().scratch());
    in.remove_prefix(event.consumed);
    handle(event);
  }
  input_.keep(reader);
  // One pong answers all pings of this batch (RFC 6455, 5.5.3).
  respond_to_ping();
  if (!input_.is_within_message()) {
    note_message_ended();
  } else if (state_ == State::open) {
    note_message_begun(output_);
  }
  return state_ < State::leaving ? in : std::string_view();
}

void WsSession::read_saved() {
  if (has_saved()) {
    eider::detail::base::SavedInput& saved = output_.rare().saved;
    // The memory stays while it is read: handlers only add behind it, by `save`.
    const std::string_view rest = read(saved.view());
    saved.drop(saved.size() - rest.size());
  }
  if (is_paused_ && state_ < State::leaving && may_read()) {
    is_paused_ = false;
    // The time in which it was not read from is not its silence.
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
    return true;  // messages are dropped, and the close frame is awaited
  }
  // What is read may have to be answered, if only by a pong, also where a handler does not send:
  // over HTTP/2 a peer that takes nothing would go on being read. A client reads on: where both
  // stopped, each would wait for the other. Its pongs are bounded by their number and by the pace.
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
      // The message is whole before its handler is called, which may take long.
      note_message_ended();
      input_.note_message();
      if (state_ == State::open) {
        // A ping that came ahead of the message is answered ahead of what answers that.
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
  // A pong that is owed behind our close frame is not sent.
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
  // The pace sees what was put before the flush may refuse it.
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
    watch_output(output_);  // else the timer would find it
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
  // A close frame of the peer's that is unanswered comes first: the handler will receive no more.
  respond_to_close();
  if (state_ != State::open) {
    return;
  }
  // The close frame is the last that is put: nothing may follow it (RFC 6455, 5.5.1).
  output_.put_close(code, reason);
  note_reason(code, reason);
  // The state changes before others hear of it.
  state_ = State::closing;
  leave_topics();
  expect_close(output_);
  if (has_peer_ended_) {
    leave();
  } else {
    read_on();  // the peer's close frame may stand in what was saved
  }
}

// "An endpoint MAY delay sending a Close frame until its current message is sent" (RFC 6455,
// section 5.5.1): first the handler has its say on the messages in front of it.
void WsSession::hear_close(const ws::Event& event) {
  note_reason(event.code, event.data);
  owes_close_ = true;
  if (state_ == State::open && inbox() != nullptr) {
    expect_close(output_);
  } else {
    // The handler has nothing left to receive, so the response need not wait.
    respond_to_close();
  }
}

void WsSession::respond_to_close() {
  if (!owes_close_) {
    return;
  }
  // It is answered once.
  owes_close_ = false;
  if (state_ == State::open) {
    respond_to_ping();
    output_.put_close(code_, {});  // the same code
  }
  // Both close frames are known now: the server may end the connection.
  is_clean_ = true;
  leave();
}

// RFC 6455, section 7.1.7: a close frame that says why, and nothing more is read.
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

// Behind the last word: what is corked leaves and the handler hears of the end. A peer that still
// sends is read from in silence for a while, or a reset might overtake our close frame.
void WsSession::leave() {
  if (state_ >= State::leaving) {
    return;
  }
  // Nothing is read as a message from here on.
  state_ = State::leaving;
  input_.begin_dropping();
  // It leaves its topics before the handler hears of the end.
  leave_topics();
  expect_close(output_);
  wake_at_end();
  // The rest happens in `run`, where no handler is under way.
  defer();
  UpgradedLine* const line = output_.line();
  if (line == nullptr) {
    return;
  }
  // "The server MUST close the connection first" as long as all goes well (section 7.1.1), so
  // that it is the one to remember it. Of a stream there is nothing to remember, and a server that
  // waits for the client's end would wait for close_within.
  if (output_.is_server() || has_peer_ended_ || line->is_shared()) {
    line->end();
  }
  // The peer's end, or its reset, is heard only while it is read from.
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

// The line's owner destroys this later in the turn, unless the handler goes on: then the timer
// does, which is kept for that.
void WsSession::end_line() noexcept {
  // The state is over before the line is closed, which may call back.
  state_ = State::over;
  if (WsRare* const rare = output_.rare_if_made(); rare != nullptr && is_served()) {
    rare->alarm.reset();
  }
  // The line is forgotten first, so nothing is written to it any more.
  output_.forget_line()->close();
  wake_at_end();
}

// By force: what waits for this peer in the kernel would wait for ever.
void WsSession::cut() {
  if (output_.line() == nullptr) {
    return;
  }
  // It leaves like any other, so that its handler hears of it.
  leave();
  output_.line()->reset();
  end_line();
}

// Time.

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

// First for the peer's close frame, then for our last bytes and the handler. While the peer takes
// what was sent before, its time goes on.
void WsSession::end_patience() {
  // The response waits for nothing any more: the handler had its time.
  if (owes_close_ && state_ != State::over) {
    respond_to_close();
    return;
  }
  if (state_ != State::closing) {
    // Messages that the handler has not received are given up here.
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
    // A server that does not end the connection: we do, without force.
    leave();
    output_.line()->end();
    end_line();
  } else {
    cut();
  }
}

}  // namespace eider::ws::detail
