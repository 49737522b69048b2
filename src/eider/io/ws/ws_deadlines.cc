#include "eider/io/ws/ws_deadlines.h"

#include <algorithm>

namespace eider::ws::detail {

WsDeadlines::WsDeadlines(WsShared& shared, const WebSocketOptions& options)
    : heard_(shared.loop().now()) {
  shared.loop().arm(*this, heard_ + options.ping_after);
}

Pace& WsDeadlines::pace() {
  if (pace_ == nullptr) {
    pace_ = std::make_unique<Pace>();
  }
  return *pace_;
}

void WsDeadlines::await(const WsOutput& output, Awaited awaited, Instant due) {
  awaited_ = awaited;
  output.shared().loop().arm(*this, due);
}

WsDue WsDeadlines::look(const WsOutput& output, bool is_paused) {
  switch (awaited_) {
    case Awaited::sound:
      return look_at_sound(output, is_paused);
    case Awaited::pong:
      if (output.waiting_bytes() == 0) {
        return WsDue::cut;
      }
      watch_output(output);  // the peer cannot be heard while output waits
      return WsDue::nothing;
    case Awaited::room:
      return look_at_output(output, is_paused);
    case Awaited::close:
      return WsDue::close;
  }
  return WsDue::nothing;
}

WsDue WsDeadlines::look_at_sound(const WsOutput& output, bool is_paused) {
  const WebSocketOptions& options = output.options();
  if (output.waiting_bytes() != 0) {
    watch_output(output);
    return WsDue::nothing;
  }
  const Instant now = output.now();
  if (is_paused) {
    excuse_silence(now);  // it is our handler that is slow
  }
  if (now >= message_due(options)) {
    return WsDue::message_late;
  }
  const Instant silent = heard_ + options.ping_after;
  if (now < silent) {
    // The timer is not moved by what arrives: it finds here that time has passed in between.
    await(output, Awaited::sound, std::min(silent, message_due(options)));
    return WsDue::nothing;
  }
  await(output, Awaited::pong, now + options.pong_within);
  return WsDue::ping;
}

WsDue WsDeadlines::look_at_output(const WsOutput& output, bool is_paused) {
  if (output.waiting_bytes() == 0) {
    note_drained(output);
    return look_at_sound(output, is_paused);
  }
  if (!keeps_up(output, output.options().write)) {
    return WsDue::cut;
  }
  await(output, Awaited::room, pace().due(output.options().write));
  return WsDue::nothing;
}

Instant WsDeadlines::message_due(const WebSocketOptions& options) const noexcept {
  return message_begun_ == Instant::max() ? message_begun_
                                          : message_begun_ + options.message_within;
}

void WsDeadlines::note_heard(Instant now) noexcept {
  heard_ = now;
  if (awaited_ == Awaited::pong) {
    awaited_ = Awaited::sound;
  }
}

void WsDeadlines::note_message_begun(const WsOutput& output) {
  // A message has its time from its first byte on, however its bytes trickle.
  if (message_begun_ != Instant::max()) {
    return;
  }
  message_begun_ = output.now();
  if (awaited_ == Awaited::sound) {
    const WebSocketOptions& options = output.options();
    await(output, Awaited::sound, std::min(heard_ + options.ping_after, message_due(options)));
  }
}

void WsDeadlines::excuse_silence(Instant now) noexcept {
  // The time in which it was not read from does not count for its message.
  if (message_begun_ != Instant::max()) {
    message_begun_ += now - std::max(heard_, message_begun_);
  }
  heard_ = now;
}

// How the peer takes what is sent.

void WsDeadlines::watch_output(const WsOutput& output) {
  if (awaited_ == Awaited::close) {
    return;  // which looks at it when its time is over
  }
  if (awaited_ != Awaited::room || !pace().is_watched()) {
    pace().begin(output.line()->unread_bytes(), output.now());
    await(output, Awaited::room, pace().due(output.options().write));
  }
}

void WsDeadlines::note_output(std::size_t bytes) noexcept {
  if (awaited_ == Awaited::room) {
    // More that is offered is more that the span has to see taken.
    pace_->note_offered(bytes);
  }
}

void WsDeadlines::note_drained(const WsOutput& output) noexcept {
  if (pace_ != nullptr && pace_->is_watched()) {
    pace_->note_drained(output.line()->unread_bytes(), output.now());
  }
}

/// Whether the peer has taken enough of what waits, since that was last asked.
bool WsDeadlines::keeps_up(const WsOutput& output, Duration span) {
  const std::size_t unread = output.line()->unread_bytes();
  const Instant now = output.now();
  if (!pace().is_watched()) {
    pace().begin(unread, now);
  }
  return now < pace().due(span) ||
         pace().keeps_up(unread, now, least_bytes(span, output.options().bytes_per_second_min));
}

// The close.

void WsDeadlines::expect_close(const WsOutput& output) {
  // The pace is measured anew: the time to close has spans of its own.
  if (pace_ != nullptr) {
    *pace_ = Pace();
  }
  if (output.line() != nullptr && !output.line()->flush()) {  // or what waits would not show yet
    pace().begin(output.line()->unread_bytes(), output.now());
  }
  await(output, Awaited::close, output.now() + output.options().close_within);
}

bool WsDeadlines::takes_more_time(const WsOutput& output) {
  const Duration span = output.options().close_within;
  if (output.waiting_bytes() == 0 || !keeps_up(output, span)) {
    return false;
  }
  // It goes on only while bytes leave: a handshake of closing has an end.
  await(output, Awaited::close, output.now() + span);
  return true;
}

}  // namespace eider::ws::detail
