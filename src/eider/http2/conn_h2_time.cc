// ConnectionH2: what it waits for, and what happens when that does not come in time.
#include <algorithm>
#include <chrono>

#include "eider/http2/detail/conn_h2.h"

namespace eider::detail {

namespace {

/// For the client to see that we are going, before the last word about what is still served.
constexpr Duration kShutdownGrace = std::chrono::seconds(1);

}  // namespace

std::uint64_t ConnectionH2::least_progress(Duration span) const noexcept {
  const auto seconds = std::chrono::duration<double>(span).count();
  const auto rate = static_cast<double>(loop_.context.limits.bytes_per_second_min);
  return static_cast<std::uint64_t>(seconds * rate);
}

bool ConnectionH2::is_busy() const noexcept {
  return !streams_.empty() || session_.is_within_head() || ending_since_ != Instant::max() ||
         stopping_since_ != Instant::max() || line_.waiting_bytes() != 0;
}

/// Who is idle is looked at when that has to end, others at every tick.
void ConnectionH2::rearm() noexcept {
  const Instant next = loop_.context.loop.now() + loop_.tick;
  armed_ = is_busy() ? next : std::max(next, quiet_since_ + loop_.context.limits.idle);
  loop_.context.loop.arm(*this, armed_);
}

void ConnectionH2::expire() {
  const Instant now = loop_.context.loop.now();
  if (is_closed_) {
    return;
  }
  check_line(now);
  if (ending_since_ == Instant::max() && !is_closed_) {
    for (const std::unique_ptr<StreamH2>& stream : streams_) {
      stream->check(now);
    }
    go_on();
  }
  if (!is_closed_) {
    rearm();
  }
}

void ConnectionH2::check_line(Instant now) {
  const Limits& limits = loop_.context.limits;
  if (ending_since_ != Instant::max()) {
    const bool is_late = now - ending_since_ >= limits.linger;
    if (is_late && line_.waiting_bytes() == 0) {
      close();
      return;
    }
  } else {
    check_quiet(now);
  }
  check_socket(now);
}

void ConnectionH2::check_quiet(Instant now) {
  const Limits& limits = loop_.context.limits;
  if (!session_.is_within_head()) {
    head_since_ = Instant::max();
  } else if (head_since_ == Instant::max()) {
    head_since_ = now;
  } else if (now - head_since_ >= limits.head) {
    session_.terminate(h2::ErrorCode::enhance_your_calm);
  }
  if (stopping_since_ != Instant::max()) {
    stop_endless();  // what has begun since
    if (now - stopping_since_ >= kShutdownGrace) {
      shut_down();
    }
  }
  if (streams_.empty() && now - quiet_since_ >= limits.idle) {
    session_.terminate(h2::ErrorCode::no_error);
  }
}

/// While the socket takes nothing nothing is added, so that what waits only shrinks.
void ConnectionH2::check_socket(Instant now) {
  const Duration span = loop_.context.limits.write;
  const std::size_t waiting = line_.waiting_bytes();
  if (waiting == 0) {
    write_due_ = Instant::max();
  } else if (write_due_ == Instant::max()) {
    write_due_ = now + span;
    write_progress_ = waiting;
  } else if (now >= write_due_) {
    if (waiting + least_progress(span) > write_progress_) {
      line_.reset();
      close();
    } else {
      write_due_ = Instant::max();
    }
  }
}

}  // namespace eider::detail
