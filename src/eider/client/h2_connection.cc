#include "eider/client/h2_connection.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/client/h2_stream.h"
#include "eider/core/base/assert.h"
#include "eider/io/runtime/loop.h"

namespace eider::detail::client {

namespace {

/// The size of one send, which may be slightly larger.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;

h2::ClientSessionOptions session_options(const ClientOptions& options,
                                         std::uint32_t early_streams) noexcept {
  return {.reply = {options.head_bytes_max, options.headers_max},
          .streams_max = options.streams_per_connection_max,
          .early_streams_max = early_streams};
}

std::uint64_t milliseconds_of(Instant now) noexcept {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return static_cast<std::uint64_t>(since.count());
}

}  // namespace

H2Connection::H2Connection(std::unique_ptr<TcpStream> line, const ClientOptions& options,
                           std::uint32_t early_streams, TurnQueue& turns)
    : line_(std::move(line)),
      options_(options),
      turns_(turns),
      session_(session_options(options, early_streams)),
      heard_(line_->stream().loop().now()) {
  line_->hand_over(*this);
}

H2Connection::~H2Connection() = default;

bool H2Connection::is_of_use() const noexcept {
  return !is_suspect_ && !declines_h2_ && line_->stream().is_open() && session_.takes_requests();
}

std::unique_ptr<H2Stream> H2Connection::open_stream() {
  auto stream = std::make_unique<H2Stream>(*this);
  streams_.push_back(stream.get());
  ++unbegun_;
  return stream;
}

void H2Connection::leave(H2Stream& stream) noexcept {
  // A stream without a request still has reserved room.
  unbegun_ -= stream.has_begun_ ? 0 : 1;
  std::erase(streams_, &stream);
  if (streams_.empty()) {
    disarm();
  }
}

void H2Connection::close() noexcept {
  if (!line_->stream().is_open()) {
    return;
  }
  if (!session_.is_doomed()) {
    // Send GOAWAY before the connection closes.
    session_.shut_down();
    send_all_there_is();
    static_cast<void>(line_->stream().flush());
  }
  line_->stream().close();
}

void H2Connection::pump() {
  if (is_within_session_) {
    return;  // the caller within the session calls `pump` afterwards
  }
  send_all_there_is();
  end_when_over();
}

void H2Connection::send_all_there_is() {
  Stream& stream = line_->stream();
  while (stream.is_open() && stream.waiting_bytes() == 0) {
    // The session calls back within this call, and must not be re-entered from there.
    is_within_session_ = true;
    const bool is_all = session_.send(stream.output(), kCorkBytesMax);
    is_within_session_ = false;
    if (is_all) {
      break;
    }
    stream.flush();
  }
}

void H2Connection::end_when_over() {
  // The session's error is more helpful than the end that it causes.
  if (session_.is_doomed()) {
    end(ClientFault::bad_response, session_.flaw());
  } else if (session_.is_over()) {
    end(ClientFault::connection_lost, "The server closed the connection.");
  }
}

/// Notifies all streams that have not ended.
void H2Connection::end(ClientFault fault, std::string_view text) {
  if (line_->stream().is_open()) {
    static_cast<void>(line_->stream().flush());  // sends GOAWAY with the error
    line_->stream().close();
  }
  disarm();
  const std::string reason(text);
  // The list may change during the calls.
  const std::vector<H2Stream*> streams = streams_;
  for (H2Stream* const stream : streams) {
    stream->on_lost(fault, reason);
  }
  // One waiting call opens another connection.
  turns_.wake_one();
}

// Events of the stream.

void H2Connection::on_bytes(std::string_view bytes) {
  heard_ = line_->stream().loop().now();
  is_within_session_ = true;
  session_.receive(bytes, milliseconds_of(heard_));
  is_within_session_ = false;
  pump();
  // After `pump`: SETTINGS may have allowed more streams.
  wake_waiting();
}

void H2Connection::wake_waiting() noexcept {
  const std::size_t room = is_of_use() ? session_.room() - std::min(session_.room(), unbegun_) : 1;
  while (!turns_.empty() && turns_.woken() < room) {
    turns_.wake_one();
  }
}

void H2Connection::on_end() {
  end(ClientFault::connection_lost, "The server closed the connection before it responded.");
}

void H2Connection::on_broken(NetError error) {
  end(ClientFault::connection_lost,
      std::string("The connection was lost: ").append(text(error)).append("."));
}

// Detects silence: a reachable server responds to a PING.

void H2Connection::watch_silence() {
  if (options_.ping_after != Duration::zero() && !is_armed()) {
    line_->stream().loop().arm(*this, heard_ + options_.ping_after);
  }
}

void H2Connection::expire() {
  const Instant now = line_->stream().loop().now();
  const Instant due = heard_ + options_.ping_after;
  if (now < due) {
    line_->stream().loop().arm(*this, due);
    return;
  }
  if (pongs_awaited_ > session_.pongs()) {
    return end(ClientFault::connection_lost, "The server did not respond to a PING.");
  }
  session_.ping();
  pongs_awaited_ = session_.pongs() + 1;
  line_->stream().loop().arm(*this, now + options_.ping_after);
  pump();
}

}  // namespace eider::detail::client
