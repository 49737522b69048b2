#include "eider/server/http2/connection_h2.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace eider::detail::http2 {

StreamTable::StreamTable(LoopH2& loop) noexcept
    : loop_(loop), empty_since_(loop.context.loop.now()) {}

StreamTable::~StreamTable() {
  for (std::unique_ptr<StreamH2>& stream : streams_) {
    // Reset the stream while this table and the loop exist.
    loop_.give_back(std::move(stream));
  }
}

StreamH2& StreamTable::open(ConnectionH2& connection, h2::StreamId id) {
  std::unique_ptr<StreamH2> stream = loop_.take_stream();
  stream->open(connection, id);
  stream->index = static_cast<std::uint32_t>(streams_.size());
  return *streams_.emplace_back(std::move(stream));
}

void StreamTable::remove_last_closed() noexcept {
  const std::uint32_t index = closed_.back()->index;
  closed_.pop_back();
  // Remove it from the table first: its end may let other streams of this table continue.
  std::unique_ptr<StreamH2> stream = std::move(streams_[index]);
  if (index + 1 != streams_.size()) {
    streams_[index] = std::move(streams_.back());
    streams_[index]->index = index;
  }
  streams_.pop_back();
  // End the tunnel while the stream still has its connection.
  if (TunnelH2* const tunnel = stream->response().tunnel()) {
    tunnel->break_off();
  }
  loop_.give_back(std::move(stream));
  if (streams_.empty()) {
    empty_since_ = loop_.context.loop.now();
  }
}

StreamH2* StreamTable::oldest_gathering() const noexcept {
  StreamH2* oldest = nullptr;
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    // The destructor has already given some back.
    const bool is_gathering = stream != nullptr && stream->is_gathering();
    if (is_gathering && (oldest == nullptr || stream->id() < oldest->id())) {
      oldest = stream.get();
    }
  }
  return oldest;
}

bool StreamTable::note_gathered(const StreamH2& stream, std::size_t bytes) noexcept {
  gathered_bytes_ += bytes;
  if (has_room()) {
    return true;
  }
  // Beyond the limit, only the oldest stream continues, so that at least one completes.
  const StreamH2* const oldest = oldest_gathering();
  return oldest == nullptr || oldest->id() >= stream.id();
}

void StreamTable::forget_gathered(std::size_t bytes) noexcept {
  if (bytes == 0) {
    return;
  }
  gathered_bytes_ -= bytes;
  StreamH2* const oldest = oldest_gathering();
  if (oldest == nullptr) {
    return;
  }
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    if (stream != nullptr && stream->is_gathering() && has_room()) {
      stream->receiver().give_credit();
    }
  }
  // The oldest always continues, even beyond the limit: nothing else would make room.
  oldest->receiver().give_credit();
  // The WINDOW_UPDATE is sent in the next turn, because this may be within a call of the session.
  oldest->connection().want_next_turn();
}

namespace {

/// Time for the client to see the first GOAWAY, before the final one.
constexpr Duration kGrace = std::chrono::seconds(1);

}  // namespace

void ShutdownH2::begin(Instant now) {
  if (!has_begun()) {
    begun_at_ = now;
    session_.announce_shutdown();
    session_.ping();  // after it, so that the response shows that the client has seen it
  }
}

void ShutdownH2::finish_if_due(Instant now) {
  if (has_begun() && now - begun_at_ >= kGrace) {
    finish();
  }
}

void ShutdownH2::on_pong() {
  if (has_begun()) {
    finish();
  }
}

void ShutdownH2::finish() {
  if (!std::exchange(is_finished_, true)) {
    session_.shut_down();
  }
}

namespace {

/// Output is sent in pieces of this size. If the socket does not accept all of it, the rest waits.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// Estimated memory of a waiting request.
constexpr std::size_t kRequestBytes = 3UL * 1024;
/// After this many bytes, other connections get a turn, even if the client reads fast.
constexpr std::size_t kTurnBytesMax = 1024UL * 1024;

std::uint64_t milliseconds(Instant now) noexcept {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
}

}  // namespace

ConnectionH2::ConnectionH2(LoopH2& loop, UpgradedLine& line)
    : loop_(loop),
      line_(line),
      session_(*this, loop.session_options()),
      held_(*this, loop.context.output),
      streams_(loop) {
  // A client that never sends anything is idle from the start.
  rearm();
}

h2::StreamUser& ConnectionH2::on_stream(h2::StreamId id) {
  // A client that has sent a request gets no extra time for one when the server stops.
  has_asked_ = true;
  return streams_.open(*this, id);
}

// Events of the line.

void ConnectionH2::on_bytes(std::string_view bytes) {
  if (ending_since_ != Instant::max()) {
    // After our end, bytes are only counted: a client that keeps sending is disconnected.
    discarded_bytes_ += bytes.size();
    if (discarded_bytes_ > loop_.context.limits.linger_bytes_max) {
      close();
    }
    return;
  }
  session_.receive(bytes, milliseconds(loop_.context.loop.now()));
  go_on();
}

// HTTP/2 has no half-closed connections: a client that closes its side has disconnected.
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
  // Stop measuring the rate before sending more.
  reading_.note_drained(line_.unread_bytes(), loop_.context.loop.now());
  go_on();
}

void ConnectionH2::on_stopping() {
  const Instant now = loop_.context.loop.now();
  shutdown_.note_stopping(now);
  if (loop_.context.is_waited_for) {
    for (const std::unique_ptr<StreamH2>& stream : streams_) {
      stream->receiver().hasten(now + server::kSilenceWhileStopping);
    }
  }
  // End responses without an end before handling ready requests.
  stop_endless();
  go_on();
}

// The streams end with the connection.
void ConnectionH2::on_broken() {
  break_off_tunnels();
}

// Processing.

void ConnectionH2::want_turn() noexcept {
  // During `go_on`, its own loop handles it.
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

// Handles everything that follows from received bytes. nghttp2 must not be re-entered, and it calls
// back from Session::receive (headers, data, ends, closed streams) and Session::send (data to send,
// frames sent). These callbacks only add streams to a list or set a member; the exception is a
// tunnel's protocol, which gets its bytes at once. Handlers run from this function. Destroying a
// handler may have any side effect too, so closed streams wait until the session has returned.
void ConnectionH2::go_on() {
  // The line was closed, and only waits to be destroyed.
  if (is_closed_) {
    return;
  }
  if (is_given_up_) {
    line_.reset();
    close();
    return;
  }
  if (ending_since_ != Instant::max()) {
    settle();
    return;
  }
  shutdown_.begin_if_due(loop_.context.loop.now(),
                         has_asked_ ? Duration::zero() : server::kTimeToAsk);
  is_going_on_ = true;
  streams_.remove_closed();  // before serving, because their exchanges and memory are free then
  serve_ready();
  is_going_on_ = false;
  streams_.remove_closed();
  settle();  // last, because it may close the line
}

// Sending frees held memory, so more requests may be served afterwards.
void ConnectionH2::serve_ready() {
  do {
    serve_some();
    send();
  } while (!ready_.empty() && may_serve());
}

// At least one response is made, so that each connection makes progress.
bool ConnectionH2::may_serve() const noexcept {
  const std::size_t held = outgoing_.held_bytes();
  // After a GOAWAY that ends the connection, there are no more responses.
  if (session_.is_doomed()) {
    return false;
  }
  return held == 0 || (held <= loop_.options.held_bytes_max &&
                       held - std::min(held, held_.own()) <= loop_.context.output.left());
}

void ConnectionH2::serve_some() {
  while (!ready_.empty() && may_serve()) {
    ready_.pop_front()->serve();
  }
}

// Does not flush, so that the responses of other connections are sent in the same write.
void ConnectionH2::on_part() {
  // The stream that is served here must not request another turn.
  is_going_on_ = true;
  serve_some();
  if (line_.waiting_bytes() == 0) {
    (void)session_.send(line_.output(), kCorkBytesMax);
  }
  leave_answered();
  is_going_on_ = false;
  streams_.remove_closed();
}

// Called after Session::send, which has copied as much as possible. The rest of a response moves
// out of the exchange, so that slow clients do not keep exchanges, whose number is limited.
void ConnectionH2::leave_answered() {
  while (StreamH2* const answered = answered_.pop_front()) {
    answered->leave_exchange();
  }
}

void ConnectionH2::send() {
  // Each turn has a number: output that is sent in the turn in which it was written has not waited.
  ++turn_;
  while (StreamH2* const sender = senders_.pop_front()) {
    // Move the protocol's output to the queue before the session reads it.
    sender->response().uncork();
    session_.resume(sender->id());
  }
  std::size_t turn_bytes = 0;
  // Output that waits may also be from the TLS handshake in this same call: the result of `flush`
  // shows whether the socket is full.
  while (line_.waiting_bytes() == 0 || line_.flush()) {
    const bool is_all = session_.send(line_.output(), kCorkBytesMax);
    if (is_all || !line_.flush()) {
      break;
    }
    turn_bytes += kCorkBytesMax;
    // Let other connections have a turn: continue in the next one.
    if (turn_bytes >= kTurnBytesMax) {
      want_next_turn();
      break;
    }
  }
  leave_answered();
}

// The output budget.

runtime::OutputFlow ConnectionH2::Held::flow() const noexcept {
  return {.given = connection_.outgoing_.sent_bytes(), .queued = connection_.line_.unread_bytes()};
}

// The responses' memory is freed at the end of the turn, when the streams end.
void ConnectionH2::Held::give_up() noexcept {
  connection_.is_given_up_ = true;
  connection_.want_next_turn();
}

// Ending.

void ConnectionH2::stop_endless() {
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    stream->stop_endless();
  }
}

void ConnectionH2::on_pong() {
  shutdown_.on_pong();
}

void ConnectionH2::settle() {
  // Requests that wait because responses cannot be sent count as memory held by the client too.
  const std::size_t requests = ready_.empty() ? 0 : streams_.size() * kRequestBytes;
  if (const std::size_t held = outgoing_.held_bytes() + requests; held != held_.own()) {
    held_.set(held, held);
  }
  // The session may still have to send a GOAWAY, which `is_over` considers.
  if (ending_since_ == Instant::max() && session_.is_over()) {
    end_line();
  } else if (ending_since_ != Instant::max() && has_peer_ended_ && line_.waiting_bytes() == 0) {
    close();
  }
  // A connection that has become busy is checked earlier than an idle one.
  if (is_busy() && armed_ > loop_.context.loop.now() + loop_.tick()) {
    rearm();
  }
}

void ConnectionH2::close() noexcept {
  // Set the flag before the call, which may call back.
  is_closed_ = true;
  line_.close();
}

// As in RFC 9112, 9.6: closing while the client sends would cause a reset, which may arrive before
// our last frames.
void ConnectionH2::end_line() {
  // Set this before flushing: from here on nothing is read or served.
  ending_since_ = loop_.context.loop.now();
  const bool is_flushed = line_.flush();
  if (has_peer_ended_ && is_flushed) {
    close();
    return;
  }
  // FIN follows the GOAWAY; then wait for the client's FIN.
  line_.end();
  break_off_tunnels();  // they can send nothing more, although the line stays open for a while
  for (const std::unique_ptr<StreamH2>& open : streams_) {
    open->end_exchange();
    open->response().forget_content();  // the client may take a while to close
  }
}

void ConnectionH2::break_off_tunnels() {
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    if (TunnelH2* const tunnel = stream->response().tunnel()) {
      tunnel->break_off();
    }
  }
}

// Deadlines.

bool ConnectionH2::is_busy() const noexcept {
  return !streams_.is_empty() || session_.unfinished() || ending_since_ != Instant::max() ||
         shutdown_.is_wanted() || line_.waiting_bytes() != 0;
}

/// An idle client is checked when its idle time ends, any other at every tick.
void ConnectionH2::rearm() noexcept {
  const Instant next = loop_.context.loop.now() + loop_.tick();
  armed_ = is_busy() ? next : std::max(next, streams_.empty_since() + loop_.context.limits.idle);
  loop_.context.loop.arm(*this, armed_);
}

void ConnectionH2::expire() {
  const Instant now = loop_.context.loop.now();
  if (is_closed_) {
    return;
  }
  // Check the line first: it may end here, together with its streams.
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
  if (ending_since_ != Instant::max()) {
    // While output waits, the minimum rate applies instead of the linger time.
    const bool is_late = now - ending_since_ >= loop_.context.linger();
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
  const server::LoopLimits& limits = loop_.context.limits;
  if (frame_.is_missed(session_.unfinished(), limits, now)) {
    session_.terminate(h2::ErrorCode::enhance_your_calm);
  }
  if (shutdown_.has_begun()) {
    stop_endless();  // those that started since
    shutdown_.finish_if_due(now);
  }
  if (streams_.is_empty() && now - streams_.empty_since() >= limits.idle) {
    session_.terminate(h2::ErrorCode::no_error);
  }
}

/// While the socket accepts nothing, nothing is added, so the waiting output only shrinks.
void ConnectionH2::check_socket(Instant now) {
  const server::LoopLimits& limits = loop_.context.limits;
  if (line_.waiting_bytes() == 0) {
    return;
  }
  const std::size_t unread = line_.unread_bytes();
  reading_.begin(unread, now);
  if (now >= reading_.due(limits.write) &&
      !reading_.keeps_up(unread, now, limits.written_bytes_least(now))) {
    // The client does not read, so it would not see an orderly end either.
    line_.reset();
    close();
  }
}

}  // namespace eider::detail::http2
