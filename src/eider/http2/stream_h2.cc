// StreamH2: the request that arrives. See also stream_h2_answer.cc.
#include "eider/http2/detail/stream_h2.h"

#include <utility>

#include "eider/base/text.h"
#include "eider/http2/detail/conn_h2.h"

namespace eider::detail {

namespace {

constexpr int kTooLarge = 413;
constexpr int kTooSlow = 408;
constexpr int kUnavailable = 503;
constexpr int kContinue = 100;

/// RFC 9113, 8.2.2, and the fields of the upgrade itself (RFC 7540, section 3.2).
bool is_of_connection(std::string_view name) noexcept {
  for (const std::string_view one : {"connection", "keep-alive", "proxy-connection", "upgrade",
                                     "transfer-encoding", "http2-settings", "te"}) {
    if (name == one) {
      return true;
    }
  }
  return false;
}

std::string lower(std::string_view name) {
  std::string text(name);
  for (char& byte : text) {
    byte = to_lower(byte);
  }
  return text;
}

}  // namespace

StreamH2::~StreamH2() {
  reset();
}

void StreamH2::open(ConnectionH2& connection, h2::StreamId id) noexcept {
  connection_ = &connection;
  id_ = id;
  state_ = State::head;
  is_early_ = connection.is_early();
}

void StreamH2::reset() noexcept {
  unlink();
  if (connection_ == nullptr) {
    return;
  }
  tunnel_.reset();
  end_exchange();
  if (outflow_.is_memory()) {
    connection_->note_sent(outflow_.rest().size(), 0);
  }
  outflow_.reset();
  constexpr std::size_t kKeptBytesMax = 16UL * 1024;
  if (response_.body().size() > kKeptBytesMax) {
    response_ = Response();
  }
  response_.reset();
  if (request_.scratch().capacity() > kKeptBytesMax) {
    request_.scratch().release();
  }
  request_.set_peer(nullptr);
  refusal_.reset();
  trailers_.clear();
  is_content_over_ = is_stalled_ = false;
  uncredited_bytes_ = 0;
  sent_bytes_ = 0;
  due_ = Instant::max();
  connection_ = nullptr;
}

void StreamH2::begin_upgraded(const RequestHead& head) {
  const h2::HeadLimits& limits = connection_->loop().session_options.head;
  builder_.add(":method", to_text(head.method), limits);
  builder_.add(":scheme", "http", limits);
  builder_.add(":path", head.target, limits);
  for (const Field& field : head.fields) {
    const std::string name = lower(field.name);
    if (!is_of_connection(name)) {
      builder_.add(name, field.value, limits);
    }
  }
  on_head(h2::Ends::with_head);
}

void StreamH2::on_head(h2::Ends ends) {
  is_content_over_ = ends == h2::Ends::with_head;
  refusal_ = builder_.finish(ends, request_.head());
  request_.head().is_early |= is_early_;
  request_.path_values().clear();
  request_.set_body({});
  request_.set_peer(this);
  if (!refusal_) {
    begin_request(ends);
  } else {
    become_ready();
  }
}

void StreamH2::begin_request(h2::Ends ends) {
  plan_ = connection_->context().service.plan(request_);
  const RequestHead& head = request_.head();
  if (head.opens_websocket) {
    tunnel_ = std::make_unique<TunnelH2>(*connection_, *this, outflow_);
  }
  if (head.body == BodyKind::sized && head.content_length > plan_.body_bytes_max) {
    refuse(kTooLarge, "The content is too large.");
  } else if (plan_.streams_body) {
    if (make_exchange()) {
      exchange_->inbox().begin(head, plan_.body_bytes_max, *this);
    }
    become_ready();
  } else if (ends == h2::Ends::with_head || head.opens_websocket) {
    become_ready();
  } else if (make_exchange()) {
    exchange_->body().begin(head, plan_.body_bytes_max);
    state_ = State::gathering;
    watch_body();
    if (head.expects_continue) {
      inform(kContinue, {});
    }
  }
}

bool StreamH2::make_exchange() {
  exchange_ = connection_->context().exchanges.take();
  if (exchange_ == nullptr) {
    refuse(kUnavailable, "The server is busy. Try again in a moment.");
    return false;
  }
  exchange_->copy(request_, plan_, *this);
  return true;
}

void StreamH2::refuse(int status, std::string_view text) {
  refusal_ = h2::HeadRefusal{status, text};
  become_ready();
}

void StreamH2::become_ready() {
  if (state_ != State::ready) {
    state_ = State::ready;
    watch_nothing();
    connection_->add_ready(*this);
  }
}

bool StreamH2::takes_content() const noexcept {
  return exchange_ != nullptr && plan_.streams_body && !exchange_->inbox().is_over();
}

void StreamH2::on_data(std::string_view bytes) {
  if (state_ == State::gathering) {
    gather(bytes);
  } else if (takes_content()) {
    uncredited_bytes_ += bytes.size();  // until the handler has taken them
    exchange_->inbox().put(bytes);
  } else if (tunnel_ != nullptr && !tunnel_->is_closed()) {
    uncredited_bytes_ += bytes.size();
    if (tunnel_->take(bytes)) {
      give_credit();
    }
  } else {
    discard(bytes.size());
  }
}

// A client that is still sending may read our answer only when it has been let: see linger.
void StreamH2::discard(std::size_t bytes) {
  uncredited_bytes_ += bytes;
  if (state_ != State::lingering) {
    return;
  }
  progress_ += bytes;
  if (progress_ > connection_->context().limits.linger_bytes_max) {
    connection_->session().reset(id_, h2::ErrorCode::no_error);
  } else {
    give_credit();
  }
}

void StreamH2::on_answered() {
  if (is_content_over_) {
    return;
  }
  if (tunnel_ != nullptr && !tunnel_->is_closed()) {
    tunnel_->note_end_sent();  // its protocol waits for the client's end
  } else {
    linger();
  }
}

void StreamH2::linger() {
  state_ = State::lingering;
  progress_ = 0;
  due_ = connection_->context().loop.now() + connection_->context().limits.linger;
  give_credit();
}

void StreamH2::gather(std::string_view bytes) {
  if (exchange_->body().gather(bytes) == BodyStatus::refused) {
    refuse(kTooLarge, "The content is too large.");
    return;
  }
  gathered_bytes_ += bytes.size();
  uncredited_bytes_ += bytes.size();
  if (connection_->note_gathered(*this, bytes.size())) {
    give_credit();
  }
}

void StreamH2::give_credit() {
  if (uncredited_bytes_ != 0 && !is_content_over_) {
    connection_->session().consume(id_, std::exchange(uncredited_bytes_, 0));
  }
}

void StreamH2::on_content_end() {
  is_content_over_ = true;
  if (state_ == State::gathering) {
    exchange_->use_gathered_body();
    become_ready();
  } else if (takes_content()) {
    exchange_->inbox().end();
    if (state_ != State::sending) {
      watch_nothing();
    }
  } else if (tunnel_ != nullptr) {
    tunnel_->take_end();
  }
}

void StreamH2::on_closed(h2::ErrorCode) {
  if (state_ != State::closed) {
    state_ = State::closed;
    unlink();
    connection_->bury(*this);  // not here: what its handler leaves behind may do anything
  }
}

void StreamH2::on_content_wanted() {
  if (!takes_content()) {
    return;
  }
  if (request_.head().expects_continue && exchange_->inbox().bytes() == 0) {
    inform(kContinue, {});
  }
  watch_body();
}

void StreamH2::on_content_taken() {
  give_credit();
  connection_->want_turn();
  if (takes_content()) {
    watch_body();
  }
}

std::string StreamH2::address() const {
  return connection_->line().address();
}

std::optional<SecuredBy> StreamH2::secured_by() const {
  return connection_->line().secured_by();
}

// Time.

void StreamH2::watch_body() {
  progress_ = exchange_->body().bytes();
  due_ = connection_->context().loop.now() + connection_->context().limits.body;
}

void StreamH2::check(Instant now) {
  if (state_ == State::sending || state_ == State::producing) {
    check_sending(now);
  } else if (now >= due_ && state_ == State::lingering) {
    connection_->session().reset(id_, h2::ErrorCode::no_error);
    watch_nothing();
  } else if (now >= due_) {
    check_body();
  }
}

void StreamH2::check_body() {
  const Duration span = connection_->context().limits.body;
  const bool is_taken = uncredited_bytes_ < connection_->loop().options.stream_window_bytes;
  if (exchange_ == nullptr || is_content_over_) {
    watch_nothing();
  } else if (exchange_->body().bytes() - progress_ >= connection_->least_progress(span) ||
             !is_taken) {
    watch_body();  // it comes, or it is us who do not let it come
  } else if (takes_content()) {
    exchange_->inbox().fail(h1::Refusal::body_too_slow);
    watch_nothing();
  } else {
    refuse(kTooSlow, "The content came too slowly.");
    connection_->want_turn();
  }
}

// Who has a window and is not served for the sake of others is not slow.
void StreamH2::check_sending(Instant now) {
  const Duration span = connection_->context().limits.write;
  if (outflow_.waiting_bytes() == 0 || !connection_->is_blocked(*this)) {
    due_ = Instant::max();
    return;
  }
  if (due_ == Instant::max()) {
    progress_ = sent_bytes_;
    connection_progress_ = connection_->sent_bytes();
    due_ = now + span;
  } else if (now >= due_) {
    const std::uint64_t sent = connection_->is_window_empty(*this)
                                   ? sent_bytes_ - progress_
                                   : connection_->sent_bytes() - connection_progress_;
    due_ = Instant::max();
    if (sent < connection_->least_progress(span)) {
      connection_->session().reset(id_, h2::ErrorCode::cancel);
      connection_->want_turn();
    }
  }
}

}  // namespace eider::detail
