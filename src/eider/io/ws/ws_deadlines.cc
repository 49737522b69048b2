#include "eider/io/ws/ws_deadlines.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace eider::ws::detail {

namespace {

constexpr std::uint32_t kDroppedBytesMax = 4U * 1024 * 1024;

}  // namespace

bool WsInput::note_control_frame(Instant now, std::uint32_t per_second_max) noexcept {
  const auto since = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
  const auto second = static_cast<std::uint16_t>(since.count());
  // Each second has its own count.
  if (second != second_) {
    second_ = second;
    counted_ = 0;
  }
  return ++counted_ <= per_second_max;
}

bool WsInput::drop(std::size_t bytes) noexcept {
  // The cap prevents an overflow of the sum.
  counted_ += static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kDroppedBytesMax));
  return counted_ <= kDroppedBytesMax;
}

void WsInput::keep(ws::MessageReader& used, WsInputBudget& budget) {
  const bool is_done = used.is_idle() && !used.is_closed() && used.refusal() == ws::Refusal::none;
  if (is_done) {
    kept_.reset();
    return;
  }
  if (kept_ == nullptr) {
    kept_ = std::make_unique<Kept>(std::move(used), budget);
  }
  kept_->held.set(kept_->reader.kept_bytes());
}

void WsDeadlines::begin(WsOutput& output) {
  heard_ = output.now();
  await(output, Awaited::sound, heard_ + output.options().ping_after);
}

void WsDeadlines::await(WsOutput& output, Awaited awaited, Instant due) {
  awaited_ = awaited;
  output.wake_at(due, *this);
}

WsDue WsDeadlines::look(WsOutput& output, bool is_paused) {
  switch (awaited_) {
    case Awaited::sound:
      return look_at_sound(output, is_paused);
    case Awaited::pong:
      if (output.waiting_bytes() == 0) {
        return WsDue::cut;
      }
      watch_output(output);  // input from the peer is not read while output waits
      return WsDue::nothing;
    case Awaited::room:
      return look_at_output(output, is_paused);
    case Awaited::close:
    case Awaited::hastened_close:
      return WsDue::close;
  }
  return WsDue::nothing;
}

WsDue WsDeadlines::look_at_sound(WsOutput& output, bool is_paused) {
  const WebSocketOptions& options = output.options();
  if (output.waiting_bytes() != 0) {
    watch_output(output);
    return WsDue::nothing;
  }
  const Instant now = output.now();
  if (is_paused) {
    excuse_silence(now);  // our own handler is slow
  }
  if (now >= message_due(options)) {
    return WsDue::message_late;
  }
  const Instant silent = heard_ + options.ping_after;
  if (now < silent) {
    // Input does not move the timer, so wait for the remaining time.
    await(output, Awaited::sound, std::min(silent, message_due(options)));
    return WsDue::nothing;
  }
  await(output, Awaited::pong, now + options.pong_within);
  return WsDue::ping;
}

WsDue WsDeadlines::look_at_output(WsOutput& output, bool is_paused) {
  if (output.waiting_bytes() == 0) {
    note_drained(output);
    return look_at_sound(output, is_paused);
  }
  if (!keeps_up(output, output.options().write)) {
    return WsDue::cut;
  }
  await(output, Awaited::room, output.rare().pace.due(output.options().write));
  return WsDue::nothing;
}

Instant WsDeadlines::message_due(const WebSocketOptions& options) const noexcept {
  const Instant begun = input_.begun();
  return begun == Instant::max() ? begun : begun + options.message_within;
}

void WsDeadlines::note_heard(Instant now) noexcept {
  heard_ = now;
  if (awaited_ == Awaited::pong) {
    awaited_ = Awaited::sound;
  }
}

void WsDeadlines::note_message_begun(WsOutput& output) {
  // The time of a message counts from its first byte, even if its bytes arrive slowly.
  if (input_.begun() != Instant::max()) {
    return;
  }
  input_.set_begun(output.now());
  if (awaited_ == Awaited::sound) {
    const WebSocketOptions& options = output.options();
    await(output, Awaited::sound, std::min(heard_ + options.ping_after, message_due(options)));
  }
}

void WsDeadlines::excuse_silence(Instant now) noexcept {
  // The time during which the peer was not read does not count for its message.
  if (const Instant begun = input_.begun(); begun != Instant::max()) {
    input_.set_begun(begun + (now - std::max(heard_, begun)));
  }
  heard_ = now;
}

// The pace of the peer's reading.

void WsDeadlines::watch_output(WsOutput& output) {
  if (awaited_ >= Awaited::close) {
    return;  // the output is checked when that time is over
  }
  if (awaited_ != Awaited::room || !output.rare().pace.is_watched()) {
    output.rare().pace.begin(output.line()->unread_bytes(), output.now());
    await(output, Awaited::room, output.rare().pace.due(output.options().write));
  }
}

void WsDeadlines::note_output(WsOutput& output, std::size_t bytes) noexcept {
  if (awaited_ == Awaited::room) {
    // Additional output must also be read within the span.
    output.rare_if_made()->pace.note_offered(bytes);
  }
}

void WsDeadlines::note_drained(WsOutput& output) noexcept {
  WsRare* const rare = output.rare_if_made();
  if (rare != nullptr && rare->pace.is_watched()) {
    rare->pace.note_drained(output.line()->unread_bytes(), output.now());
  }
}

/// Returns whether the peer has read enough of the waiting output since the last call.
bool WsDeadlines::keeps_up(WsOutput& output, Duration span) {
  const std::size_t unread = output.line()->unread_bytes();
  const Instant now = output.now();
  if (!output.rare().pace.is_watched()) {
    output.rare().pace.begin(unread, now);
  }
  return now < output.rare().pace.due(span) ||
         output.rare().pace.keeps_up(unread, now,
                                     least_bytes(span, output.options().bytes_per_second_min));
}

// The close handshake.

void WsDeadlines::expect_close(WsOutput& output) {
  // The pace is measured again from zero, because the time to close has its own spans.
  if (WsRare* const rare = output.rare_if_made()) {
    rare->pace = Pace();
  }
  if (output.line() != nullptr && !output.line()->flush()) {  // flush to detect waiting output
    output.rare().pace.begin(output.line()->unread_bytes(), output.now());
  }
  const bool is_hastened = awaited_ == Awaited::hastened_close;
  await(output, is_hastened ? awaited_ : Awaited::close, output.now() + close_span(output));
}

Duration WsDeadlines::close_span(const WsOutput& output) const noexcept {
  // A stop of the server must not wait long for clients that are silent.
  constexpr Duration kWhileStopping = std::chrono::seconds(1);
  const Duration usual = output.options().close_within;
  return awaited_ == Awaited::hastened_close ? std::min(usual, kWhileStopping) : usual;
}

void WsDeadlines::hasten_close(WsOutput& output) {
  const bool waits_already = std::exchange(awaited_, Awaited::hastened_close) == Awaited::close;
  if (waits_already) {
    await(output, awaited_, output.now() + close_span(output));
  }
}

bool WsDeadlines::takes_handler_time(WsOutput& output) {
  if (awaited_ != Awaited::hastened_close) {
    return false;
  }
  awaited_ = Awaited::close;
  expect_close(output);
  return true;
}

bool WsDeadlines::takes_more_time(WsOutput& output) {
  const Duration span = close_span(output);
  if (output.waiting_bytes() == 0 || !keeps_up(output, span)) {
    return false;
  }
  // Extended only while bytes are sent, so that the close handshake always ends.
  await(output, awaited_, output.now() + span);
  return true;
}

}  // namespace eider::ws::detail
