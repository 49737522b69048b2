// WsSession: what arrives and what is sent. How it ends: ws_session_end.cc; its deadlines:
// ws_session_time.cc.
#include "eider/server/detail/ws_session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eider/http/ws/message_writer.h"

namespace eider::detail {

namespace {

/// More than this is sent before the handler goes on, so that what the socket refuses shows.
constexpr std::size_t kCorkBytesMax = 64UL * 1024;
/// A handler that has sent as much without waiting lets others have their turn.
constexpr std::uint32_t kTurnBytesMax = 512U * 1024;
/// So many pings of one second are answered one by one, in their place among the messages; behind
/// them only the last of each batch is (RFC 6455, section 5.5.3).
constexpr std::uint32_t kPingsAnsweredEach = 16;
/// Of what a client sends behind its last word.
constexpr std::uint32_t kDiscardedBytesMax = 4U * 1024 * 1024;

/// A window that all can follow is shared: nothing is remembered, and none is smaller.
WsForm form_by(const ws::DeflateTerms& terms) noexcept {
  const bool is_alike = terms.server_takeover == ws::Takeover::dropped &&
                        terms.server_window_bits == ws::kWindowBitsMax;
  return is_alike ? WsForm::shared : WsForm::own;
}

}  // namespace

WsRoute::WsRoute(WebSocketOptions its_options, std::string its_pattern)
    : options(std::move(its_options)),
      limits{.message_bytes_max = options.message_bytes_max,
             .fragments_max = options.fragments_max},
      pattern(std::move(its_pattern)) {}

WsSession::WsSession(WsHub& hub, const WsRoute& route, UpgradedLine& line,
                     const WsAgreement& agreement)
    : hub_(hub),
      route_(route),
      line_(&line),
      reader_(ws::Side::server, route.limits),
      heard_(hub.loop().now()),
      subprotocol_(agreement.subprotocol) {
  if (agreement.compression) {
    codec_ = route.options.compression.make_codec(*agreement.compression);
    reader_.set_codec(*codec_);
    form_ = form_by(*agreement.compression);
    if (form_ == WsForm::shared) {
      hub_.provide_codec(route.options.compression, *agreement.compression);
    }
  }
  expect(Patience::silence, heard_ + route.options.ping_after);
}

WsSession::Extras& WsSession::extras() {
  if (extras_ == nullptr) {
    extras_ = std::make_unique<Extras>();
  }
  return *extras_;
}

std::string_view WsSession::reason() const noexcept {
  return extras_ == nullptr ? std::string_view() : std::string_view(extras_->reason);
}

std::string_view WsSession::agreed_subprotocol() const noexcept {
  const auto& names = route_.options.subprotocols;
  return subprotocol_ < names.size() ? std::string_view(names[subprotocol_]) : std::string_view();
}

std::string WsSession::address() const {
  return line_ == nullptr ? std::string() : line_->address();
}

// Reading.

void WsSession::on_bytes(std::string_view bytes) {
  begin_handler();
  heard_ = now();
  if (patience_ == Patience::pong) {
    patience_ = Patience::silence;
  }
  if (state_ >= State::leaving) {
    discard(bytes.size());
  } else if (extras_ != nullptr && !extras_->saved.empty()) {
    save(bytes);
  } else {
    guard([this, bytes] {
      if (const std::string_view rest = read(bytes); !rest.empty()) {
        save(rest);
      }
    });
  }
  settle();
}

/// What may not be read yet is left; nothing once the connection is leaving.
std::string_view WsSession::read(std::string_view in) {
  while (!in.empty() && state_ < State::leaving && may_read()) {
    const ws::Event event = reader_.read(in, hub_.scratch());
    in.remove_prefix(event.consumed);
    handle(event);
  }
  answer_ping();
  note_progress();
  return state_ < State::leaving ? in : std::string_view();
}

void WsSession::read_saved() {
  if (extras_ != nullptr && !extras_->saved.empty()) {
    SavedInput& saved = extras_->saved;
    const std::string_view rest = read(saved.view());
    saved.drop(saved.size() - rest.size());
  }
  if (is_paused_ && state_ < State::leaving && may_read()) {
    is_paused_ = false;
    line_->resume_reading();
  }
}

bool WsSession::may_read() const noexcept {
  const WebSocketOptions& options = route_.options;
  if (state_ != State::open) {
    return true;  // messages are dropped, and the close frame is awaited
  }
  if (handlers_ != nullptr) {
    return line_->waiting_bytes() <= options.backpressure_bytes_max;
  }
  return inbox_ == nullptr || (inbox_->messages() < options.queued_messages_max &&
                               inbox_->bytes() < options.queued_bytes_max);
}

void WsSession::save(std::string_view bytes) {
  extras().saved.append(bytes);
  if (!is_paused_) {
    is_paused_ = true;
    line_->pause_reading();
  }
}

void WsSession::note_progress() {
  if (reader_.is_idle()) {
    message_begun_ = Instant::max();
  } else if (message_begun_ == Instant::max() && state_ == State::open) {
    message_begun_ = now();
    if (patience_ == Patience::silence) {
      look_at_silence();
    }
  }
}

void WsSession::handle(const ws::Event& event) {
  switch (event.kind) {
    case ws::EventKind::message:
      message_begun_ = Instant::max();
      control_frames_ = 0;
      if (state_ == State::open) {
        answer_ping();
        receive({event.type, event.data});
      }
      return;
    case ws::EventKind::ping:
      receive_ping(event.data);
      return;
    case ws::EventKind::pong:
      (void)is_flood();
      return;
    case ws::EventKind::close:
      hear_close(event);
      return;
    case ws::EventKind::refused:
      fail(event.code, event.data);
      return;
    case ws::EventKind::need_more:
    case ws::EventKind::piece:
      return;
  }
}

void WsSession::receive(const WsMessage& message) {
  if (handlers_ != nullptr) {
    if (handlers_->message) {
      guard([this, &message] { handlers_->message(*this, message); });
    }
    return;
  }
  if (inbox_ == nullptr) {
    inbox_ = hub_.take_inbox();
  }
  inbox_->add(message);
  wake(arrival_);
}

void WsSession::receive_ping(std::string_view payload) {
  if (is_flood() || state_ != State::open) {
    return;
  }
  hub_.owed_pong().clear();
  hub_.owed_pong().append(payload);
  owes_pong_ = true;
  if (control_frames_ <= kPingsAnsweredEach) {
    answer_ping();
  }
}

void WsSession::answer_ping() {
  if (owes_pong_ && state_ == State::open) {
    ws::MessageWriter().pong(line_->output(), hub_.owed_pong().view());
  }
  owes_pong_ = false;
}

bool WsSession::is_flood() {
  const auto since = std::chrono::floor<std::chrono::seconds>(now().time_since_epoch());
  const auto second = static_cast<std::uint32_t>(since.count());
  if (second != control_second_) {
    control_second_ = second;
    control_frames_ = 0;
  }
  if (++control_frames_ <= route_.options.control_frames_per_second_max) {
    return false;
  }
  fail(CloseCode::policy_violation, "too many control frames");
  return true;
}

void WsSession::discard(std::size_t bytes) {
  turn_bytes_ += static_cast<std::uint32_t>(bytes);
  if (turn_bytes_ > kDiscardedBytesMax) {
    cut();
  }
}

// Writing.

void WsSession::put(const WsMessage& message) {
  constexpr ws::MessageWriter kWriter;
  if (codec_ != nullptr) {
    Buffer& smaller = hub_.second_scratch();
    smaller.clear();
    if (codec_->deflate(message.bytes, smaller) == ws::Deflated::done) {
      kWriter.message(line_->output(), {.type = message.type, .form = ws::Form::compressed},
                      smaller.view());
      spend(smaller.size());
      return;
    }
  }
  kWriter.message(line_->output(), {.type = message.type}, message.bytes);
  spend(message.bytes.size());
}

void WsSession::put_frames(std::string_view frames) {
  line_->output().append(frames);
  progress_ += frames.size();
  if (frames.size() >= kCorkBytesMax) {
    (void)line_->flush();
  }
}

void WsSession::spend(std::size_t bytes) {
  progress_ += bytes;
  if (line_->output().size() >= kCorkBytesMax) {
    (void)line_->flush();
  }
  turn_bytes_ += static_cast<std::uint32_t>(std::min<std::size_t>(bytes, kTurnBytesMax));
  if (turn_bytes_ >= kTurnBytesMax && !is_yielding_) {
    is_yielding_ = true;
    hub_.loop().defer(*this);
  }
}

std::size_t WsSession::waiting_bytes() noexcept {
  return line_ == nullptr ? 0 : line_->waiting_bytes();
}

bool WsSession::has_room() noexcept {
  return waiting_bytes() == 0 && !is_yielding_;
}

bool WsSession::is_slow() noexcept {
  return waiting_bytes() + line_->output().size() > route_.options.backpressure_bytes_max;
}

WsSent WsSession::put_unless_slow(const WsMessage& message, WhenSlow when_slow) {
  if (state_ != State::open) {
    return WsSent::ended;
  }
  if (is_slow()) {
    refuse_slow(when_slow, 1);
    return is_open() ? WsSent::dropped : WsSent::ended;
  }
  put(message);
  return WsSent::taken;
}

bool WsSession::admits_published(std::size_t count) {
  if (state_ != State::open) {
    return false;
  }
  if (is_slow()) {
    refuse_slow(route_.options.when_slow, count);
    return false;
  }
  return true;
}

void WsSession::refuse_slow(WhenSlow when_slow, std::size_t count) {
  dropped_ += static_cast<std::uint32_t>(count);
  if (when_slow == WhenSlow::disconnect) {
    begin_closing(CloseCode::try_again_later, "too slow to take what is sent");
  }
}

void WsSession::send_ping(std::string_view payload) {
  if (state_ == State::open) {
    ws::MessageWriter().ping(line_->output(), payload.substr(0, ws::kControlBytesMax));
  }
}

// For the coroutine that waits.

bool WsSession::has_news() {
  if (inbox_ != nullptr && inbox_->empty()) {
    hub_.give_back(std::move(inbox_));
    if (is_answer_owed_) {
      answer_close();
    }
  }
  return state_ >= State::leaving || (inbox_ != nullptr && !is_deaf_);
}

std::optional<WsMessage> WsSession::take() {
  if (inbox_ == nullptr || is_deaf_) {
    return std::nullopt;
  }
  const auto message = inbox_->take();
  if (is_paused_ && may_read()) {
    hub_.loop().defer(*this);
  }
  return message;
}

}  // namespace eider::detail
