// WsSession: what it waits for, and what happens when that does not come in time.
#include <algorithm>
#include <chrono>

#include "eider/server/detail/ws_session.h"

namespace eider::detail {

namespace {

Instant later(Instant begin, Duration span) noexcept {
  return begin == Instant::max() ? begin : begin + span;
}

}  // namespace

void WsSession::expect(Patience patience, Instant due) {
  patience_ = patience;
  hub_.loop().arm(*this, due);
}

void WsSession::expire() {
  lose_patience();
  settle();
}

void WsSession::lose_patience() {
  switch (patience_) {
    case Patience::silence:
      look_at_silence();
      return;
    case Patience::pong:
      cut();
      return;
    case Patience::write:
      look_at_writing();
      return;
    case Patience::close:
      end_patience();
      return;
  }
}

// The timer is not moved by what arrives: it looks when it is due, and then waits for the rest.
void WsSession::look_at_silence() {
  const WebSocketOptions& options = route_.options;
  if (waiting_bytes() != 0) {
    watch_writing();
    return;
  }
  if (is_paused_) {
    heard_ = now();  // it is our handler that is slow
  }
  const Instant message_due = later(message_begun_, options.message_within);
  if (now() >= message_due) {
    fail(CloseCode::policy_violation, "a message took too long");
    return;
  }
  const Instant silent = heard_ + options.ping_after;
  if (now() < silent) {
    expect(Patience::silence, std::min(silent, message_due));
    return;
  }
  send_ping({});
  expect(Patience::pong, now() + options.pong_within);
}

void WsSession::watch_writing() {
  progress_ = waiting_bytes();
  expect(Patience::write, now() + route_.options.write);
}

/// Whether the client has taken enough in this span of time.
bool WsSession::takes_enough(Duration span) noexcept {
  const double seconds = std::chrono::duration<double>(span).count();
  const double least = seconds * static_cast<double>(route_.options.bytes_per_second_min);
  return waiting_bytes() + static_cast<std::size_t>(least) <= progress_;
}

void WsSession::look_at_writing() {
  if (waiting_bytes() == 0) {
    heard_ = now();  // it was not read from meanwhile
    look_at_silence();
  } else if (takes_enough(route_.options.write)) {
    watch_writing();
  } else {
    cut();
  }
}

// First for the client's close frame, then for our last bytes and the handler. While it takes what
// was sent before, its patience is not lost.
void WsSession::end_patience() {
  const Duration span = route_.options.close_within;
  if (is_answer_owed_) {
    answer_close();
    return;
  }
  if (state_ != State::closing) {
    task_ = Task<>();
    tell_closed();
  }
  if (waiting_bytes() != 0 && takes_enough(span)) {
    progress_ = waiting_bytes();
    expect(Patience::close, now() + span);
  } else if (state_ == State::closing) {
    is_clean_ = true;
    leave();
  } else {
    cut();
  }
}

}  // namespace eider::detail
