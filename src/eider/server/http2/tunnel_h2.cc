#include "eider/server/http2/tunnel_h2.h"

#include "eider/server/http2/connection_h2.h"
#include "eider/server/http2/stream_h2.h"

namespace eider::detail::http2 {

namespace {

/// An idle tunnel keeps at most this much.
constexpr std::size_t kKeptTunnelBytesMax = 1024;

void let_go(Buffer& buffer) noexcept {
  if (buffer.empty() && buffer.capacity() > kKeptTunnelBytesMax) {
    buffer.release();
  }
}

}  // namespace

void TunnelH2::begin(Upgrade& upgrade) {
  // The protocol may write within the call; held bytes are passed to it afterwards.
  protocol_ = upgrade.take_over(*this);
  if (!held_.empty() || is_end_held_) {
    loop().defer(*this);
  }
}

// Calls from the stream.

// Held bytes come first, even if the protocol reads again: `run` has not passed them on yet.
bool TunnelH2::take(std::string_view bytes) {
  if (protocol_ == nullptr || is_paused_ || !held_.empty()) {
    held_.append(bytes);
    return false;
  }
  protocol_->on_bytes(bytes);
  return true;
}

// The end is held while it cannot be passed on, or while bytes before it are held.
void TunnelH2::take_end() {
  if (protocol_ == nullptr || is_paused_ || !held_.empty()) {
    is_end_held_ = true;
  } else if (!is_closed_) {
    protocol_->on_end();
  }
}

void TunnelH2::break_off() {
  // Notify the protocol while its line still exists; it is destroyed later.
  if (protocol_ != nullptr && !is_closed_) {
    protocol_->on_broken();
  }
  protocol_.reset();
}

void TunnelH2::stop() {
  if (protocol_ != nullptr && !is_closed_ && !std::exchange(is_stopping_, true)) {
    protocol_->on_stopping();
  }
}

// Output that is sent in the turn in which it was written has never been reported as waiting.
void TunnelH2::note_sent() noexcept {
  let_go(corked_);
  queue_.release_sent();
  if (uncorked_at_ != connection_.turn()) {
    owes_drained_ = true;
    loop().defer(*this);
  }
}

/// Makes calls that are not possible within a call of the stream or of the protocol.
void TunnelH2::run() {
  // Deliver bytes before reporting drained output: the protocol responds to them in order.
  if (!is_closed_ && protocol_ != nullptr) {
    deliver();
  }
  if (std::exchange(owes_drained_, false) && !is_closed_ && protocol_ != nullptr) {
    protocol_->on_drained();
  }
  if (is_closed_) {
    // Destroyed from the loop: no call of the protocol is in progress.
    protocol_.reset();
    held_.release();
    // The input is not needed any more, so do not let the client wait at its window.
    stream_.receiver().give_credit();
  }
}

void TunnelH2::deliver() {
  if (!is_paused_ && !held_.empty()) {
    Buffer held;  // stays valid during the call, even if that closes the line
    held.swap(held_);
    // Give credit before the call, in which the protocol may close the line.
    stream_.receiver().give_credit();
    connection_.want_turn();
    protocol_->on_bytes(held.view());
  }
  if (!is_paused_ && !is_closed_ && std::exchange(is_end_held_, false)) {
    protocol_->on_end();
  }
}

// Calls from the protocol.

Loop& TunnelH2::loop() noexcept {
  return connection_.context().loop;
}

Buffer& TunnelH2::output() {
  connection_.add_sender(stream_);
  return corked_;
}

bool TunnelH2::flush() {
  uncork();
  return queue_.waiting_bytes() == 0;
}

void TunnelH2::uncork() {
  if (corked_.empty()) {
    return;
  }
  if (queue_.waiting_bytes() == 0) {
    uncorked_at_ = connection_.turn();
  }
  connection_.outgoing().note_held(corked_.size());
  Buffer& produced = queue_.produced();
  if (produced.empty()) {
    produced.swap(corked_);
  } else {
    produced.append(corked_.view());
    corked_.clear();
  }
}

std::size_t TunnelH2::waiting_bytes() const noexcept {
  return static_cast<std::size_t>(queue_.waiting_bytes());
}

void TunnelH2::resume_reading() {
  is_paused_ = false;
  if (!held_.empty() || is_end_held_) {
    loop().defer(*this);
  }
}

void TunnelH2::end() {
  uncork();
  queue_.end();
  connection_.add_sender(stream_);
}

// A reset of TCP is mapped to "RST_STREAM with the CANCEL error code" (RFC 8441, section 5).
void TunnelH2::reset() noexcept {
  // RST_STREAM is queued, not sent, because the protocol is within a call.
  is_reset_ = true;
  connection_.session().reset(stream_.id(), h2::ErrorCode::cancel);
  connection_.want_turn();
}

// The protocol is usually within a call here, so it is destroyed in `run`, from the loop.
void TunnelH2::close() noexcept {
  // Set the flag first: the protocol is not called any more.
  is_closed_ = true;
  loop().defer(*this);
  // A line that was reset sends no END_STREAM.
  if (!is_reset_) {
    end();
  }
  stream_.response().on_tunnel_closed();
}

Duration TunnelH2::comes_back_in() noexcept {
  return connection_.context().next_pause();
}

std::string TunnelH2::address() const {
  return connection_.line().address();
}

std::optional<TlsInfo> TunnelH2::tls() const {
  return connection_.line().tls();
}

}  // namespace eider::detail::http2
