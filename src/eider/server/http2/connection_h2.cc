#include "eider/server/http2/connection_h2.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace eider::detail::http2 {

StreamTable::StreamTable(LoopH2& loop) noexcept
    : loop_(loop), empty_since_(loop.context.loop.now()) {}

StreamTable::~StreamTable() {
  for (std::unique_ptr<StreamH2>& stream : streams_) {
    // The stream forgets its request while the table and the loop still stand.
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
  // It leaves the table first: what ends with it may make this table's other streams go on.
  std::unique_ptr<StreamH2> stream = std::move(streams_[index]);
  if (index + 1 != streams_.size()) {
    streams_[index] = std::move(streams_.back());
    streams_[index]->index = index;
  }
  streams_.pop_back();
  // The tunnel breaks off while the stream still has its connection.
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
    // The destructor has given some back already.
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
  // Beyond the bound only the oldest goes on, so that at least one comes to its end.
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
  // The oldest is always let go on, also beyond the bound: nothing else would make room.
  oldest->receiver().give_credit();
  // The credit leaves in the next turn: this may be within a call of the session's.
  oldest->connection().want_next_turn();
}

namespace {

/// For the client to see that we are going, before the last word about what is still served.
constexpr Duration kGrace = std::chrono::seconds(1);

}  // namespace

void ShutdownH2::begin(Instant now) {
  if (!has_begun()) {
    begun_at_ = now;
    session_.announce_shutdown();
    session_.ping();  // behind it, so that its response says that the client has seen it
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

/// As much is gathered before it is sent, and what is refused stops the rest.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// What a request that waits takes.
constexpr std::size_t kRequestBytes = 3UL * 1024;
/// After this much others have their turn, however fast the client reads.
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
  // A client that never says anything is idle from the begin on.
  rearm();
}

h2::StreamUser& ConnectionH2::on_stream(h2::StreamId id) {
  // A connection that has asked is not given time to ask when the server stops.
  has_asked_ = true;
  return streams_.open(*this, id);
}

// What the line tells.

void ConnectionH2::on_bytes(std::string_view bytes) {
  if (ending_since_ != Instant::max()) {
    // Behind our end bytes are only counted: the client is let go when it sends for ever.
    discarded_bytes_ += bytes.size();
    if (discarded_bytes_ > loop_.context.limits.linger_bytes_max) {
      close();
    }
    return;
  }
  session_.receive(bytes, milliseconds(loop_.context.loop.now()));
  go_on();
}

// HTTP/2 has no half-closed connections: a client that ends its side has left.
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
  // The pace stops before more is offered.
  reading_.note_drained(line_.unread_bytes(), loop_.context.loop.now());
  go_on();
}

void ConnectionH2::on_stopping() {
  shutdown_.note_stopping(loop_.context.loop.now());
  // Streams without an end stop before the requests that are ready are served.
  stop_endless();
  go_on();
}

// The streams themselves end with the connection.
void ConnectionH2::on_broken() {
  break_off_tunnels();
}

// Going on.

void ConnectionH2::want_turn() noexcept {
  // Within `go_on` what is wanted is done by its own loop.
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

// All that follows from what has come. nghttp2 must not be re-entered, and it calls back from
// within Session::receive (heads, content, ends, closed streams) and Session::send (content to
// send, what has left). Those calls join a list here or note something, save that a tunnel's
// protocol gets its bytes at once; handlers run from this function. What they leave behind when
// they are destroyed may do anything, too, so closed streams wait until the session has returned.
void ConnectionH2::go_on() {
  // The line has been told, and only waits to be destroyed.
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
  streams_.remove_closed();  // ahead of what is served: their exchanges and memory are free then
  serve_ready();
  is_going_on_ = false;
  streams_.remove_closed();
  settle();  // last, since it may close the line
}

// Sending makes room for what is held, so that more may be served.
void ConnectionH2::serve_ready() {
  do {
    serve_some();
    send();
  } while (!ready_.empty() && may_serve());
}

// One response is made in any case, so that each connection goes on.
bool ConnectionH2::may_serve() const noexcept {
  const std::size_t held = outgoing_.held_bytes();
  // Behind a GOAWAY that ends the connection nothing more is answered.
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

// Nothing is flushed: the others' responses leave in the same write.
void ConnectionH2::on_part() {
  // The stream that is served here must not ask for a turn of its own.
  is_going_on_ = true;
  serve_some();
  if (line_.waiting_bytes() == 0) {
    (void)session_.send(line_.output(), kCorkBytesMax);
  }
  leave_answered();
  is_going_on_ = false;
  streams_.remove_closed();
}

// Behind Session::send, which has copied what fits: what is left of a response moves out of the
// exchange, so that a slow client does not keep one of those that are there for requests.
void ConnectionH2::leave_answered() {
  while (StreamH2* const answered = answered_.pop_front()) {
    answered->leave_exchange();
  }
}

void ConnectionH2::send() {
  // Each turn has a number: what leaves in the one in which it was written has not waited.
  ++turn_;
  while (StreamH2* const sender = senders_.pop_front()) {
    // What a protocol has written goes to the queue before the session asks for it.
    sender->response().uncork();
    session_.resume(sender->id());
  }
  std::size_t turn_bytes = 0;
  // What waits may also be what encryption has made of the handshake in this very call: `flush`
  // tells whether the socket has refused something.
  while (line_.waiting_bytes() == 0 || line_.flush()) {
    const bool is_all = session_.send(line_.output(), kCorkBytesMax);
    if (is_all || !line_.flush()) {
      break;
    }
    turn_bytes += kCorkBytesMax;
    // Others have their turn: the rest goes on in the next one.
    if (turn_bytes >= kTurnBytesMax) {
      want_next_turn();
      break;
    }
  }
  leave_answered();
}

// The budget.

runtime::OutputFlow ConnectionH2::Held::flow() const noexcept {
  return {.given = connection_.outgoing_.sent_bytes(), .queued = connection_.line_.unread_bytes()};
}

// The responses' memory is free at the end of the turn, when the streams end.
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
  // Requests that wait because answers do not leave are held by the client as well.
  const std::size_t requests = ready_.empty() ? 0 : streams_.size() * kRequestBytes;
  if (const std::size_t held = outgoing_.held_bytes() + requests; held != held_.own()) {
    held_.set(held, held);
  }
  // The session may still have a GOAWAY to send, which `is_over` counts.
  if (ending_since_ == Instant::max() && session_.is_over()) {
    end_line();
  } else if (ending_since_ != Instant::max() && has_peer_ended_ && line_.waiting_bytes() == 0) {
    close();
  }
  // A connection that has become busy is looked at earlier than an idle one.
  if (is_busy() && armed_ > loop_.context.loop.now() + loop_.tick()) {
    rearm();
  }
}

void ConnectionH2::close() noexcept {
  // It is noted before the line is told, which may call back.
  is_closed_ = true;
  line_.close();
}

// As in RFC 9112, 9.6: a close while the client sends would be a reset, which may overtake what we
// have said last.
void ConnectionH2::end_line() {
  // From here on nothing is read or served, so it is noted before anything is flushed.
  ending_since_ = loop_.context.loop.now();
  const bool is_flushed = line_.flush();
  if (has_peer_ended_ && is_flushed) {
    close();
    return;
  }
  // FIN follows the GOAWAY; the client's own end is waited for.
  line_.end();
  break_off_tunnels();  // nothing of theirs leaves any more, though the line stays for a while
  for (const std::unique_ptr<StreamH2>& open : streams_) {
    open->end_exchange();
    open->response().forget_content();  // the client may take its time to close
  }
}

void ConnectionH2::break_off_tunnels() {
  for (const std::unique_ptr<StreamH2>& stream : streams_) {
    if (TunnelH2* const tunnel = stream->response().tunnel()) {
      tunnel->break_off();
    }
  }
}

// Time.

bool ConnectionH2::is_busy() const noexcept {
  return !streams_.is_empty() || session_.unfinished() || ending_since_ != Instant::max() ||
         shutdown_.is_wanted() || line_.waiting_bytes() != 0;
}

/// A client that is idle is looked at when that has to end, any other at every tick.
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
  // The line is looked at first: it may end here, and its streams with it.
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
    // While bytes wait the reader's pace decides, not the time to linger.
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
    stop_endless();  // what has begun since
    shutdown_.finish_if_due(now);
  }
  if (streams_.is_empty() && now - streams_.empty_since() >= limits.idle) {
    session_.terminate(h2::ErrorCode::no_error);
  }
}

/// While the socket takes nothing nothing is added, so that what waits only shrinks.
void ConnectionH2::check_socket(Instant now) {
  const server::LoopLimits& limits = loop_.context.limits;
  if (line_.waiting_bytes() == 0) {
    return;
  }
  const std::size_t unread = line_.unread_bytes();
  reading_.begin(unread, now);
  if (now >= reading_.due(limits.write) &&
      !reading_.keeps_up(unread, now, limits.written_bytes_least(now))) {
    // The client reads nothing, so an orderly end would wait for it as well.
    line_.reset();
    close();
  }
}

}  // namespace eider::detail::http2
