#include "eider/client/detail/ws_connection.h"

#include <algorithm>
#include <utility>

#include "eider/base/assert.h"
#include "eider/client/detail/response_head.h"
#include "eider/client/detail/ws_opening.h"

namespace eider::detail {

namespace {

/// A frame's memory is kept for the next one up to this size.
constexpr std::size_t kSpareBytesMax = 64UL * 1024;

}  // namespace

/// One deadline around one wait, in the frame of the task that waits.
class WsConnection::Fuse final : private Timer {
 public:
  Fuse(WsConnection& of, Duration limit) noexcept : of_(of) {
    of_.loop_.arm(*this, of_.loop_.now() + limit);
  }
  ~Fuse() = default;

 private:
  void expire() override { of_.end(); }

  WsConnection& of_;
};

/// Watches the peer's silence while a task waits for bytes: asks by a ping, then gives up.
class WsConnection::Vigil final : private Timer {
 public:
  explicit Vigil(WsConnection& of) noexcept : of_(of) { arm(); }
  ~Vigil() = default;

 private:
  void arm() noexcept { of_.loop_.arm(*this, of_.silence_due()); }
  void expire() override {
    if (of_.is_overdue(of_.loop_.now())) {
      of_.end();
      return;
    }
    if (of_.loop_.now() >= of_.silence_due()) {
      of_.put_ping();
    }
    arm();
  }

  WsConnection& of_;
};

/// Somebody receives, until it comes back or is cancelled.
class WsConnection::Turn {
 public:
  explicit Turn(bool& is_taken) noexcept : is_taken_(is_taken) {
    ensure(!is_taken_, "two tasks receive from one WebSocket");
    is_taken_ = true;
  }
  ~Turn() { is_taken_ = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  bool& is_taken_;
};

WsConnection::WsConnection(Descriptor fd, WsClientOptions options, std::unique_ptr<Seal> seal)
    : options_(std::move(options)),
      limits_{options_.message_bytes_max, options_.fragments_max},
      loop_(Loop::current()),
      tcp_(loop_, std::move(fd), std::move(seal)),
      masks_(options_.masks != nullptr ? *options_.masks : random_),
      writer_(masks_),
      reader_(ws::Side::client, limits_),
      close_timer_(*this),
      heard_at_(loop_.now()),
      counting_since_(loop_.now()) {}

// The handshake.

Task<WsConnection::Opened> WsConnection::shake_hands(WsUrl url) {
  const WsKey key = make_ws_key(masks_);
  const std::string_view key_text(key.data(), key.size());
  const std::string request = render_opening(url, key_text, options_);
  const auto written = co_await tcp_.write(request);
  std::size_t bytes = 0;
  while (written) {
    // Interim answers count, so that they cannot go on forever.
    const auto opening = judge_answer(answer_.view().substr(bytes), key_text, options_);
    if (!opening) {
      co_return fail(opening.error());
    }
    bytes += opening->bytes;
    if (opening->is_opened) {
      subprotocol_ = opening->subprotocol;
      pending_ = answer_.view().substr(bytes);
      note_heard();
      co_return Opened();
    }
    if (bytes > kResponseHeadBytesMax) {
      co_return fail(WsClientError{WsClientFault::bad_answer,
                                   std::string(text(ResponseHeadFault::too_large)), 0});
    }
    if (opening->bytes != 0) {
      continue;
    }
    auto gathering = gather_answer();
    const bool has_more = co_await std::move(gathering);
    if (!has_more) {
      break;
    }
  }
  co_return fail(loss());
}

WsClientError WsConnection::loss() const {
  if (!tcp_.why_insecure().empty()) {
    return {WsClientFault::tls_failed, std::string(tcp_.why_insecure()), 0};
  }
  return {WsClientFault::not_connected, "The connection ended before the server's answer did.", 0};
}

Task<bool> WsConnection::gather_answer() {
  const auto more = co_await tcp_.read();
  if (!more || more->empty()) {
    co_return false;
  }
  answer_.append(*more);
  co_return true;
}

// Sending.

Task<bool> WsConnection::send(ws::MessageType type, std::string_view bytes) {
  // The frame is made here and not in the coroutine, which may begin when the bytes are gone.
  Buffer frame = empty_frame();
  writer_.message(frame, {.type = type}, bytes);
  return write(std::move(frame));
}

Task<bool> WsConnection::write(Buffer frame) {
  if (!is_open()) {
    co_return false;
  }
  const Fuse fuse(*this, options_.write);
  const auto written = co_await tcp_.write(frame.view());
  keep_spare(std::move(frame));
  co_return written.has_value();
}

Buffer WsConnection::empty_frame() noexcept {
  Buffer frame = std::move(spare_);
  frame.clear();
  return frame;
}

void WsConnection::keep_spare(Buffer frame) noexcept {
  if (frame.capacity() <= kSpareBytesMax && frame.capacity() > spare_.capacity()) {
    spare_.swap(frame);
  }
}

/// For small frames that nobody waits for: given to the socket, or kept behind what it refused.
void WsConnection::put(const Buffer& frame) {
  static_cast<void>(tcp_.write(frame.view()).await_ready());
}

void WsConnection::put_ping() {
  if (!is_close_sent_) {
    Buffer frame = empty_frame();
    writer_.ping(frame, {});
    put(frame);
    keep_spare(std::move(frame));
  }
  is_pinged_ = true;
  pinged_at_ = loop_.now();
}

void WsConnection::put_close(ws::CloseCode code, std::string_view reason) {
  if (std::exchange(is_close_sent_, true)) {
    return;
  }
  Buffer frame = empty_frame();
  writer_.close(frame, code, reason);
  put(frame);
  code_ = code;
  reason_ = reason;
  loop_.arm(close_timer_, loop_.now() + options_.close_within);
}

// Receiving.

Task<std::optional<WsClientMessage>> WsConnection::receive() {
  const Turn turn(is_receiving_);
  while (!has_ended_) {
    const ws::Event event = reader_.read(pending_, scratch_);
    pending_.remove_prefix(event.consumed);
    if (event.kind == ws::EventKind::message) {
      message_since_.reset();
      control_frames_ = 0;
      if (!is_close_sent_) {
        co_return WsClientMessage{event.type, event.data};
      }
      continue;
    }
    auto heeding = heed(event);
    co_await std::move(heeding);
  }
  co_return std::nullopt;
}

Task<> WsConnection::heed(ws::Event event) {
  switch (event.kind) {
    case ws::EventKind::need_more: {
      auto reading = read_more();
      co_await std::move(reading);
      co_return;
    }
    case ws::EventKind::ping: {
      if (is_flood()) {
        break;
      }
      auto answering = answer_ping(event.data);
      co_await std::move(answering);
      co_return;
    }
    case ws::EventKind::pong:
      if (is_flood()) {
        break;
      }
      co_return;
    case ws::EventKind::message:
    case ws::EventKind::piece:
      co_return;
    case ws::EventKind::close:
      put_close(event.code, {});
      code_ = event.code;
      reason_ = event.data;
      break;
    case ws::EventKind::refused:
      put_close(event.code, event.data);
      break;
  }
  auto ending = wait_for_end();
  co_await std::move(ending);
}

bool WsConnection::is_flood() noexcept {
  if (loop_.now() - counting_since_ >= std::chrono::seconds(1)) {
    counting_since_ = loop_.now();
    control_frames_ = 0;
  }
  if (++control_frames_ <= options_.control_frames_per_second_max) {
    return false;
  }
  put_close(ws::CloseCode::policy_violation, "too many control frames");
  return true;
}

/// "unless it already received a Close frame" (RFC 6455, section 5.5.2), and not behind ours.
Task<> WsConnection::answer_ping(std::string_view payload) {
  Buffer frame = empty_frame();
  writer_.pong(frame, payload);
  auto writing = write(std::move(frame));
  // Waits for a peer that asks and does not listen. That it has ended shows when it is read from.
  co_await std::move(writing);
}

/// The server closes the connection first, so that it is the one to remember it (section 7.1.1).
Task<> WsConnection::wait_for_end() {
  while (!has_ended_) {
    auto reading = read_more();
    co_await std::move(reading);
  }
}

Task<> WsConnection::read_more() {
  note_message();
  const Vigil vigil(*this);
  const auto more = co_await tcp_.read();
  if (!more || more->empty()) {
    end();
    co_return;
  }
  answer_.release();
  pending_ = *more;
  note_heard();
}

/// All that came has been looked at: whether the peer owes the end of something.
void WsConnection::note_message() noexcept {
  if (reader_.is_idle()) {
    message_since_.reset();
  } else if (!message_since_) {
    message_since_ = loop_.now();
  }
}

void WsConnection::note_heard() noexcept {
  heard_at_ = loop_.now();
  is_pinged_ = false;
}

Instant WsConnection::silence_due() const noexcept {
  const Instant due =
      is_pinged_ ? pinged_at_ + options_.pong_within : heard_at_ + options_.ping_after;
  return message_since_ ? std::min(due, *message_since_ + options_.message_within) : due;
}

bool WsConnection::is_overdue(Instant now) const noexcept {
  return (is_pinged_ && now >= pinged_at_ + options_.pong_within) ||
         (message_since_ && now >= *message_since_ + options_.message_within);
}

// The end.

Task<> WsConnection::close(ws::CloseCode code, std::string reason) {
  if (has_ended_) {
    co_return;
  }
  put_close(code, reason);
  if (is_receiving_) {  // that task sees to the rest
    co_await ended_.wait();
    co_return;
  }
  auto draining = receive();
  co_await std::move(draining);
}

void WsConnection::end() noexcept {
  has_ended_ = true;
  close_timer_.disarm();
  if (tcp_.is_open()) {
    tcp_.end();  // what was written leaves first
    tcp_.close();
  }
  ended_.set();
}

}  // namespace eider::detail
