#include "eider/server/http2/receiver_h2.h"

#include <utility>

#include "eider/server/http2/connection_h2.h"
#include "eider/server/http2/stream_h2.h"

namespace eider::detail::http2 {

void ReceiverH2::take(std::string_view bytes) {
  // The bytes are counted before they are handed on: `may_send` and the observer ask for them.
  bytes_ += bytes.size();
  uncredited_bytes_ += bytes.size();
  TunnelH2* const tunnel = stream_.response().tunnel();
  if (stream_.takes_content()) {
    take_for_handler(bytes);
  } else if (tunnel == nullptr || tunnel->is_closed()) {
    discard(bytes.size());
  } else if (tunnel->take(bytes)) {
    give_credit();
  }
}

/// What the handler reads itself is credited when it has taken it.
void ReceiverH2::take_for_handler(std::string_view bytes) {
  const bool is_gathered = stream_.is_gathering();
  // It becomes ready in a list: its handler is called behind the session.
  if (stream_.exchange()->content().take(bytes)) {
    stream_.become_ready();
  } else if (is_gathered) {
    note_gathered(bytes.size());
  }
}

/// The client may send on as far as the connection lets it.
void ReceiverH2::note_gathered(std::size_t bytes) {
  // The window opens again by as much, unless the connection's bound is reached.
  gathered_bytes_ += bytes;
  if (stream_.connection().streams().note_gathered(stream_, bytes)) {
    give_credit();
  }
}

void ReceiverH2::forget_gathered() noexcept {
  stream_.connection().streams().forget_gathered(std::exchange(gathered_bytes_, 0));
}

// Ahead of the response nothing is credited: a client that sends what nobody takes waits at its
// window.
void ReceiverH2::discard(std::size_t bytes) {
  // A request that is refused is answered first; only behind that its content is let go.
  if (!is_lingering_) {
    return;
  }
  lingered_bytes_ += bytes;
  if (lingered_bytes_ > stream_.connection().context().limits.linger_bytes_max) {
    // A reset without an error is RFC 9113's way to say that the response was whole (8.1).
    stream_.connection().session().reset(stream_.id(), h2::ErrorCode::no_error);
  } else {
    give_credit();
  }
}

void ReceiverH2::take_end(std::string_view trailer_lines) {
  is_over_ = true;  // from here on no credit is given: the stream may be closed by then
  if (!stream_.takes_content()) {
    if (TunnelH2* const tunnel = stream_.response().tunnel()) {
      tunnel->take_end();
    }
  } else if (stream_.exchange()->content().take_end(trailer_lines)) {
    stream_.become_ready();
  }
}

void ReceiverH2::on_taken() {
  // The bytes that were gathered before the handler took them count for the bound as well.
  if (stream_.is_gathering()) {
    note_gathered(stream_.exchange()->content().view().size());
  } else {
    give_credit();
  }
  stream_.connection().want_turn();
}

void ReceiverH2::give_credit() {
  // A stream that has ended takes no WINDOW_UPDATE.
  if (uncredited_bytes_ != 0 && !is_over_) {
    stream_.connection().session().consume(stream_.id(), std::exchange(uncredited_bytes_, 0));
  }
}

bool ReceiverH2::may_send() const noexcept {
  return uncredited_bytes_ < stream_.connection().loop().options.stream_window_bytes;
}

void ReceiverH2::linger() {
  const server::LoopContext& context = stream_.connection().context();
  is_lingering_ = true;
  lingered_bytes_ = 0;
  linger_due_ = context.loop.now() + context.limits.linger;
  // A client that waits at its window sees the response only if it is let send on.
  give_credit();
}

void ReceiverH2::check(Instant now) {
  if (now >= linger_due_) {
    stream_.connection().session().reset(stream_.id(), h2::ErrorCode::no_error);
    linger_due_ = Instant::max();
  }
  server::Exchange* const exchange = stream_.exchange();
  if (now >= due_ && exchange != nullptr && exchange->content().check()) {
    stream_.become_ready();
    stream_.connection().want_turn();
  }
}

}  // namespace eider::detail::http2
