#include "eider/server/http2/tunnel_h2.h"

#include "eider/server/http2/connection_h2.h"
#include "eider/server/http2/stream_h2.h"

namespace eider::detail::http2 {

namespace {

/// A line at rest keeps no more.
constexpr std::size_t kKeptTunnelBytesMax = 1024;

void let_go(Buffer& buffer) noexcept {
  if (buffer.empty() && buffer.capacity() > kKeptTunnelBytesMax) {
    buffer.release();
  }
}

}  // namespace

void TunnelH2::begin(Upgrade& upgrade) {
  // The protocol may write within the call; what was held comes behind it.
  protocol_ = upgrade.take_over(*this);
  if (!held_.empty() || is_end_held_) {
    loop().defer(*this);
  }
}

// What the stream tells.

// What was held comes first, also where the protocol reads again: `run` has not told it yet.
bool TunnelH2::take(std::string_view bytes) {
  if (protocol_ == nullptr || is_paused_ || !held_.empty()) {
    held_.append(bytes);
    return false;
  }
  protocol_->on_bytes(bytes);
  return true;
}

// It is held while it may not be told, also behind bytes that are held.
void TunnelH2::take_end() {
  if (protocol_ == nullptr || is_paused_ || !held_.empty()) {
    is_end_held_ = true;
  } else if (!is_closed_) {
    protocol_->on_end();
  }
}

void TunnelH2::break_off() {
  // The protocol learns of it while its line still stands, and is destroyed behind that.
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

// What leaves in the turn in which it was handed on, nobody has seen waiting.
void TunnelH2::note_sent() noexcept {
  let_go(corked_);
  queue_.release_sent();
  if (uncorked_at_ != connection_.turn()) {
    owes_drained_ = true;
    loop().defer(*this);
  }
}

/// What must not be told from within a call of the stream's or of the protocol's.
void TunnelH2::run() {
  // The bytes come before the news that there is room: the protocol answers them in order.
  if (!is_closed_ && protocol_ != nullptr) {
    deliver();
  }
  if (std::exchange(owes_drained_, false) && !is_closed_ && protocol_ != nullptr) {
    protocol_->on_drained();
  }
  if (is_closed_) {
    // It is destroyed from the loop: no call of it is under way.
    protocol_.reset();
    held_.release();
    // Nobody reads any more, so the client is not kept waiting at its window.
    stream_.receiver().give_credit();
  }
}

void TunnelH2::deliver() {
  if (!is_paused_ && !held_.empty()) {
    Buffer held;  // stays while it is told, whatever becomes of the line
    held.swap(held_);
    // Credit is given before the bytes are told: the protocol may close the line in there.
    stream_.receiver().give_credit();
    connection_.want_turn();
    protocol_->on_bytes(held.view());
  }
  if (!is_paused_ && !is_closed_ && std::exchange(is_end_held_, false)) {
    protocol_->on_end();
  }
}

// What the protocol does.

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

// "RST_STREAM with the CANCEL error code" is what a reset of TCP's becomes (RFC 8441, section 5).
void TunnelH2::reset() noexcept {
  // RST_STREAM is queued, not sent: the protocol is within a call.
  is_reset_ = true;
  connection_.session().reset(stream_.id(), h2::ErrorCode::cancel);
  connection_.want_turn();
}

// The protocol is within a call here mostly: it is destroyed in `run`, from the loop.
void TunnelH2::close() noexcept {
  // It is noted first: no call to the protocol follows.
  is_closed_ = true;
  loop().defer(*this);
  // A line that was reset says no end.
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
