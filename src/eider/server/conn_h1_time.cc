// ConnectionH1: what it waits for, and what happens when that does not come in time.
#include <algorithm>

#include "eider/http/h1/writer.h"
#include "eider/server/detail/conn_h1.h"

namespace eider::detail {

namespace {

/// Between two further interim responses to a client that has closed its half.
constexpr Duration kNextProbe = std::chrono::seconds(15);

std::size_t least_progress(const Limits& limits, Duration span) noexcept {
  const auto seconds = std::chrono::duration<double>(span).count();
  return static_cast<std::size_t>(seconds * static_cast<double>(limits.bytes_per_second_min));
}

}  // namespace

void ConnectionH1::expect(Patience patience, Duration within) {
  patience_ = patience;
  due_ = patience == Patience::endless ? Instant::max() : context_.loop.now() + within;
  if (due_ < armed_) [[unlikely]] {
    rearm();
  }
}

// While idle it looks in between whether a slow reader has left answers waiting.
void ConnectionH1::rearm() {
  armed_ = due_;
  if (patience_ == Patience::idle) {
    armed_ = std::min(due_, context_.loop.now() + context_.limits.write);
  }
  if (armed_ != Instant::max()) {
    context_.loop.arm(alarm_, armed_);
  }
}

void ConnectionH1::watch_writing() {
  progress_ = stream_.waiting_bytes();
  expect(Patience::write, context_.limits.write);
}

void ConnectionH1::watch_body() {
  progress_ = exchange_->body().bytes();
  expect(Patience::body, context_.limits.body);
}

void ConnectionH1::watch_half_closed() {
  if (exchange_->request().head().minor_version != 0) {
    expect(Patience::probe, context_.limits.half_close_probe);
  }
}

void ConnectionH1::expire() {
  armed_ = Instant::max();
  if (patience_ == Patience::idle && stream_.waiting_bytes() != 0) {
    watch_writing();
  } else if (context_.loop.now() >= due_) {
    lose_patience();
  }
  if (state_ == State::closed) {
    settle();
  } else if (armed_ == Instant::max()) {
    rearm();
  }
}

void ConnectionH1::lose_patience() {
  switch (patience_) {
    case Patience::first_byte:
    case Patience::idle:
    case Patience::linger:
      state_ = State::closed;
      return;
    case Patience::head:
      refuse(h1::Refusal::head_too_slow, Method::unknown);
      return;
    case Patience::body:
      lose_patience_with_body();
      return;
    case Patience::write:
      lose_patience_with_reader();
      return;
    case Patience::probe:
      probe();
      return;
    case Patience::endless:
      return;
  }
}

void ConnectionH1::lose_patience_with_body() {
  const std::size_t now = exchange_->body().bytes();
  if (now - progress_ >= least_progress(context_.limits, context_.limits.body)) {
    watch_body();
  } else if (takes_content()) {
    exchange_->inbox().fail(h1::Refusal::body_too_slow);
    expect(Patience::endless, {});
  } else {
    refuse(h1::Refusal::body_too_slow, exchange_->request().method());
  }
}

void ConnectionH1::lose_patience_with_reader() {
  const std::size_t needed = least_progress(context_.limits, context_.limits.write);
  if (stream_.waiting_bytes() + needed <= progress_) {
    watch_writing();
  } else {
    stream_.reset();  // what the kernel holds for this client would wait for it too
    state_ = State::closed;
  }
}

// A client that has only closed its half ignores this (RFC 9110, section 15.2). One that has left
// answers with a reset, whereupon the stream is broken and the request cancelled.
void ConnectionH1::probe() {
  stream_.output().append(h1::kContinue);
  expect(Patience::probe, kNextProbe);
}

}  // namespace eider::detail
