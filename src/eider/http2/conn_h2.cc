// ConnectionH2: what arrives, and what leaves. See also conn_h2_time.cc.
#include "eider/http2/detail/conn_h2.h"

#include <chrono>
#include <utility>

namespace eider::detail {

namespace {

/// As much is gathered before it is sent, and what is refused stops the rest.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// After this much others have their turn, however fast the client reads.
constexpr std::size_t kTurnBytesMax = 1024UL * 1024;
/// As much follows a 101 before the client has spoken HTTP/2: curl 7 takes 32 KiB behind one.
constexpr std::size_t kUpgradedBytesMax = 8UL * 1024;

std::uint64_t milliseconds(Instant now) noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
}

}  // namespace

ConnectionH2::ConnectionH2(LoopH2& loop, UpgradedLine& line)
    : loop_(loop),
      line_(line),
      session_(*this, loop.session_options),
      quiet_since_(loop.context.loop.now()),
      is_early_(line.is_early()) {
  rearm();
}

ConnectionH2::~ConnectionH2() {
  for (std::unique_ptr<StreamH2>& stream : streams_) {
    loop_.give_back(std::move(stream));
  }
}

void ConnectionH2::begin_upgraded(std::string_view settings, const RequestHead& head) {
  if (session_.upgrade(settings, head.method) && !streams_.empty()) {
    streams_.front()->begin_upgraded(head);
  } else {
    session_.terminate(h2::ErrorCode::protocol_error);
  }
  is_upgrading_ = true;
  want_turn();
}

h2::StreamUser& ConnectionH2::on_stream(h2::StreamId id) {
  std::unique_ptr<StreamH2> stream = loop_.take_stream();
  stream->open(*this, id);
  stream->index_ = static_cast<std::uint32_t>(streams_.size());
  return *streams_.emplace_back(std::move(stream));
}

// What the line tells.

void ConnectionH2::on_bytes(std::string_view bytes) {
  if (ending_since_ != Instant::max()) {
    discarded_bytes_ += bytes.size();
    if (discarded_bytes_ > loop_.context.limits.linger_bytes_max) {
      close();
    }
    return;
  }
  is_upgrading_ = false;
  session_.receive(bytes, milliseconds(loop_.context.loop.now()));
  go_on();
}

// HTTP/2 has no half-closed connections: who ends it has left.
void ConnectionH2::on_end() {
  has_peer_ended_ = true;
  if (ending_since_ == Instant::max()) {
    session_.terminate(h2::ErrorCode::no_error);
    go_on();
  } else {
    close();
  }
}

void ConnectionH2::on_drained() {
  write_due_ = Instant::max();
  go_on();
}

void ConnectionH2::on_stopping() {
  stop_endless();
  begin_shutdown();
  go_on();
}

void ConnectionH2::on_broken() {
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    stream->break_tunnel();
  }
}

// Going on.

void ConnectionH2::want_turn() noexcept {
  if (!is_going_on_) {
    loop_.context.loop.defer(*this);
  }
}

void ConnectionH2::add_sender(StreamH2& stream) noexcept {
  if (!stream.is_linked()) {
    senders_.push_back(stream);
  }
  want_turn();
}

void ConnectionH2::go_on() {
  if (is_closed_) {
    return;
  }
  if (ending_since_ != Instant::max()) {
    settle();
    return;
  }
  is_going_on_ = true;
  bury_dead();
  serve_ready();
  is_going_on_ = false;
  bury_dead();
  settle();
}

void ConnectionH2::serve_ready() {
  do {
    serve_some();
    send();
  } while (!ready_.empty() && held_bytes_ <= loop_.options.held_bytes_max);
}

void ConnectionH2::serve_some() {
  while (!ready_.empty() && held_bytes_ <= loop_.options.held_bytes_max) {
    ready_.pop_front()->serve();
  }
}

// Nothing is flushed: the others' answers leave in the same write.
void ConnectionH2::on_part() {
  is_going_on_ = true;
  serve_some();
  if (line_.waiting_bytes() == 0) {
    (void)session_.send(line_.output(), kCorkBytesMax);
  }
  leave_answered();
  is_going_on_ = false;
  bury_dead();
}

void ConnectionH2::leave_answered() {
  while (StreamH2* const answered = answered_.pop_front()) {
    answered->leave_exchange();
  }
}

void ConnectionH2::send() {
  ++turn_;
  while (StreamH2* const sender = senders_.pop_front()) {
    sender->uncork();
    session_.resume(sender->id());
  }
  std::size_t turn_bytes = 0;
  if (is_upgrading_) {
    (void)session_.send(line_.output(), kUpgradedBytesMax);
  }
  // What waits may also be what encryption has made of the handshake in this very call: `flush`
  // tells whether the socket has refused something.
  while (!is_upgrading_ && (line_.waiting_bytes() == 0 || line_.flush())) {
    const bool is_all = session_.send(line_.output(), kCorkBytesMax);
    if (is_all || !line_.flush()) {
      break;
    }
    turn_bytes += kCorkBytesMax;
    if (turn_bytes >= kTurnBytesMax) {
      loop_.context.loop.defer(*this);
      break;
    }
  }
  leave_answered();
}

void ConnectionH2::bury_dead() noexcept {
  while (!dead_.empty()) {
    const std::uint32_t index = dead_.back()->index_;
    dead_.pop_back();
    std::unique_ptr<StreamH2> stream = std::move(streams_[index]);
    if (index + 1 != streams_.size()) {
      streams_[index] = std::move(streams_.back());
      streams_[index]->index_ = index;
    }
    streams_.pop_back();
    stream->break_tunnel();
    loop_.give_back(std::move(stream));
    if (streams_.empty()) {
      quiet_since_ = loop_.context.loop.now();
    }
  }
}

bool ConnectionH2::note_gathered(StreamH2& stream, std::size_t bytes) noexcept {
  gathered_bytes_ += bytes;
  if (gathered_bytes_ <= loop_.options.gathered_bytes_max) {
    return true;
  }
  // The oldest goes on, so that one after the other comes to its end.
  for (const std::unique_ptr<StreamH2>& other : streams_) {
    if (other->is_gathering() && other->id() < stream.id()) {
      return false;
    }
  }
  return true;
}

void ConnectionH2::forget_gathered(std::size_t bytes) noexcept {
  if (bytes == 0) {
    return;
  }
  gathered_bytes_ -= bytes;
  StreamH2* oldest = nullptr;
  for (const std::unique_ptr<StreamH2>& other : streams_) {
    if (other != nullptr && other->is_gathering()) {
      const bool is_older = oldest == nullptr || other->id() < oldest->id();
      oldest = is_older ? other.get() : oldest;
      if (gathered_bytes_ <= loop_.options.gathered_bytes_max) {
        other->give_credit();
      }
    }
  }
  if (oldest != nullptr) {
    oldest->give_credit();
    loop_.context.loop.defer(*this);
  }
}

// Ending.

void ConnectionH2::begin_shutdown() {
  if (stopping_since_ == Instant::max()) {
    stopping_since_ = loop_.context.loop.now();
    session_.announce_shutdown();
    session_.ping();  // its answer says that the client has seen it
  }
}

void ConnectionH2::stop_endless() {
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    stream->stop_endless();
  }
}

void ConnectionH2::on_pong() {
  if (stopping_since_ != Instant::max()) {
    shut_down();
  }
}

void ConnectionH2::shut_down() {
  if (!std::exchange(is_shut_down_, true)) {
    session_.shut_down();
  }
}

void ConnectionH2::settle() {
  if (ending_since_ == Instant::max() && session_.is_over()) {
    end_line();
  } else if (ending_since_ != Instant::max() && has_peer_ended_ && line_.waiting_bytes() == 0) {
    close();
  }
  if (is_busy() && armed_ > loop_.context.loop.now() + loop_.tick) {
    rearm();
  }
}

void ConnectionH2::close() noexcept {
  is_closed_ = true;
  line_.close();
}

// As in RFC 9112, 9.6: a close while the client sends would be a reset, which may overtake what we
// have said last.
void ConnectionH2::end_line() {
  ending_since_ = loop_.context.loop.now();
  const bool is_flushed = line_.flush();
  if (has_peer_ended_ && is_flushed) {
    close();
    return;
  }
  line_.end();
  for (const std::unique_ptr<StreamH2>& open : streams_) {
    open->end_exchange();
  }
}

bool ConnectionH2::is_blocked(const StreamH2& stream) const noexcept {
  return is_upgrading_ || is_window_empty(stream) || session_.send_window() <= 0 ||
         line_.waiting_bytes() != 0;
}

bool ConnectionH2::is_window_empty(const StreamH2& stream) const noexcept {
  return session_.send_window(stream.id()) <= 0;
}

}  // namespace eider::detail
