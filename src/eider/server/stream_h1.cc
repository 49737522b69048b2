#include "eider/server/stream_h1.h"

#include <utility>

#include "eider/protocols/http/status.h"
#include "eider/server/connection.h"
#include "eider/server/h1.h"

namespace eider::detail::server {

namespace {

/// The interval of further interim responses to a client that has closed its half.
constexpr Duration kNextProbe = std::chrono::seconds(15);

}  // namespace

void StreamH1::open(H1& h1, Connection& connection, const RequestPlan& plan,
                    std::unique_ptr<Exchange> exchange) {
  h1_ = &h1;
  connection_ = &connection;
  exchange_ = std::move(exchange);
  // `connection_` must be set: opening the exchange may read the client's address.
  exchange_->open(connection.context().request, plan, *this);
  // The reader uses the exchange's copy of the headers, because the connection's is reused.
  reader_.begin(exchange_->head());
  due_ = Instant::max();
  end_ = End();
  status_ = 0;
  response_bytes_ = 0;
  is_reported_ = false;
}

std::unique_ptr<Exchange> StreamH1::close() noexcept {
  return std::move(exchange_);
}

// Input.

std::string_view StreamH1::begin(std::string_view in) {
  if (!exchange_->begin_content(!in.empty())) {
    return in;
  }
  if (exchange_->content().is_taken()) {
    in = read(in);
  }
  // The body is not wanted, but the next request starts after it.
  if (exchange_->plan().ignores_body) {
    in.remove_prefix(reader_.skip(in));
  }
  exchange_->serve();
  return in;
}

std::string_view StreamH1::read(std::string_view in) {
  bool is_to_be_served = false;
  while (exchange_->content().is_taken() && !is_to_be_served) {
    const h1::ChunkedStep step = reader_.read(in);
    in.remove_prefix(step.consumed);
    switch (step.status) {
      case h1::ChunkedStatus::need_more:
        pause_when_full();
        return {};
      case h1::ChunkedStatus::data:
        is_to_be_served = exchange_->content().take(step.data);
        break;
      case h1::ChunkedStatus::done:
        is_to_be_served = exchange_->content().take_end(reader_.trailer_lines());
        break;
      case h1::ChunkedStatus::refused:
        is_to_be_served = exchange_->content().fail(h1::to_request_refusal(reader_.refusal()));
        // After invalid framing, the meaning of the bytes is unknown.
        in = {};
        break;
    }
  }
  if (is_to_be_served) {
    exchange_->serve();
  }
  return in;
}

void StreamH1::check() {
  if (exchange_->content().check()) {
    exchange_->serve();
  }
}

void StreamH1::on_drained() {
  const LoopContext& context = connection_->context();
  // Otherwise `watch` would still assume that the client must read first.
  h1_->expect(H1::Awaits::nothing, Instant::max());
  watch(due_ == Instant::max() ? due_ : context.loop.now() + context.limits.body);
  exchange_->go_on();
}

bool StreamH1::outlives_half_close() {
  if (takes_content() || exchange_->is_live()) {
    return false;  // the client has disconnected: it reads events, or has not sent the whole body
  }
  if (exchange_->is_waiting() && exchange_->head().minor_version != 0) {
    h1_->expect_within(H1::Awaits::probe, connection_->context().limits.half_close_probe);
  }
  return true;
}

// A client that has only closed its half ignores an interim response (RFC 9110, section 15.2). A
// disconnected one responds with a reset, which breaks the stream and cancels the request. After
// the headers, an interim response would be a part of the body, but then writing the body has the
// same effect.
bool StreamH1::probe() {
  using Awaits = H1::Awaits;
  if (exchange_->is_live()) {
    return false;  // it still waited when the client closed its half, and now sends events
  }
  if (exchange_->has_begun()) {
    h1_->expect(Awaits::nothing, Instant::max());
  } else {
    // Sent at the end of the turn; a disconnected client responds with a reset.
    connection_->stream().output().append(h1::kContinue);
    h1_->expect_within(Awaits::probe, kNextProbe);
  }
  return true;
}

void StreamH1::pause_when_full() noexcept {
  if (exchange_->content().is_full()) {
    h1_->input().pause(connection_->stream());
  }
}

void StreamH1::on_content_taken() {
  if (takes_content()) {
    h1_->input().resume(connection_->stream());
  }
}

bool StreamH1::may_send() const noexcept {
  return !h1_->input().is_paused();
}

// A slow reader is waited for first: while it does not read, the handler takes no more of the body.
void StreamH1::watch(Instant due) noexcept {
  using Awaits = H1::Awaits;
  // Also stored while waiting for a slow reader: `on_drained` resumes it.
  due_ = due;
  if (h1_->awaits() != Awaits::reader) {
    const bool is_watched = due != Instant::max();
    h1_->expect(is_watched ? Awaits::content : Awaits::nothing, due);
  }
}

// Output.

// The only place that decides whether the connection persists after a request with an exchange:
// each end of such an exchange calls it. While the rest of the body is missing, the start of the
// next request is unknown, and reading the body as a request would execute one that the client
// never sent.
h1::Persistence StreamH1::persistence(const Response& response) const noexcept {
  return has_unread_content() ? h1::Persistence::close
                              : h1_->persistence(exchange_->head(), response);
}

void StreamH1::send(Response& response) {
  const Method method = exchange_->head().method;
  status_ = response.status();
  response_bytes_ = content_bytes(method, response);  // before sending, which may move the body out
  const h1::Persistence how = persistence(response);
  const Sent sent = h1_->send(exchange_->plan(), method, response, how);
  end_ = {.kind = End::Kind::answered, .persistence = how, .sent = sent};
}

// RFC 9110, 7.8: the client uses the other protocol after its complete request. The rest of the
// body would be read as the other protocol.
void StreamH1::upgrade(Response& response) {
  if (has_unread_content()) {
    exchange_->refuse_by(kContentOfUpgrade);
    return;
  }
  h1_->send_head({.status = response.status(),
                  .framing = h1::Framing::none,
                  .persistence = h1::Persistence::upgrade,
                  .field_lines = response.field_lines()});
  status_ = response.status();
  end_.kind = End::Kind::upgraded;
}

h1::Framing StreamH1::framing_of(int status, std::optional<std::uint64_t> length) const noexcept {
  if (is_bodiless(status)) {
    return bodiless_framing(status);
  }
  if (length) {
    return h1::Framing::sized;
  }
  const bool has_chunks = exchange_->head().minor_version != 0;
  return has_chunks ? h1::Framing::chunked : h1::Framing::none;
}

void StreamH1::send_head(const Response& response, std::optional<std::uint64_t> length,
                         Follows follows) {
  const bool is_empty = is_bodiless(response.status());
  framing_ = framing_of(response.status(), length);
  follows_ = follows;
  if (follows == Follows::nothing) {
    persistence_ = persistence(response);
  } else if (framing_ == h1::Framing::none) {
    // Without a length or chunks, the end of the connection is the end of the body.
    persistence_ = h1::Persistence::close;
  } else {
    // The request body may be complete when the response ends: see `end`.
    persistence_ = h1_->persistence(exchange_->head(), response);
  }
  h1_->send_head({.status = response.status(),
                  .framing = framing_,
                  .persistence = persistence_,
                  .content_length = is_empty ? 0 : length.value_or(0),
                  .content_type = is_empty ? std::string_view() : response.content_type(),
                  .field_lines = response.field_lines()});
}

std::size_t StreamH1::put(std::string_view content) {
  Buffer& out = connection_->stream().output();
  if (framing_ == h1::Framing::chunked) {
    h1::write_chunk(out, content);
  } else {
    out.append(content);
  }
  return out.size();
}

bool StreamH1::flush() {
  return connection_->stream().flush();
}

bool StreamH1::is_waiting() const noexcept {
  return connection_->stream().waiting_bytes() != 0;
}

void StreamH1::on_blocked() {
  h1_->expect_reader();
}

void StreamH1::end(std::string_view trailer_lines) {
  if (framing_ == h1::Framing::chunked && follows_ == Follows::content) {
    Buffer& out = connection_->stream().output();
    out.append("0\r\n");
    out.append(trailer_lines);
    out.append("\r\n");
  }
  const Response& response = exchange_->response();
  status_ = response.status();
  response_bytes_ = exchange_->bytes_out();
  const bool closes = persistence_ == h1::Persistence::close;
  end_ = {.kind = End::Kind::answered,
          .persistence = closes ? persistence_ : persistence(response),
          .sent = Sent::corked};
}

void StreamH1::cut() {
  if (framing_ == h1::Framing::none) {
    connection_->stream().reset();  // an orderly end would mean that the body is complete
  }
  end_.kind = End::Kind::cut;
}

void StreamH1::settle() {
  h1_->settle_all();
}

void StreamH1::report() {
  if (!connection_->context().is_observed || std::exchange(is_reported_, true)) {
    return;
  }
  if (status_ != 0) {
    h1_->report(*exchange_, status_, response_bytes_);
  } else {
    h1_->report_abandoned(*exchange_);
  }
}

// The client.

std::string StreamH1::address() const {
  return connection_->address();
}

std::optional<TlsInfo> StreamH1::tls() const {
  return connection_->tls();
}

void StreamH1::inform(int status, std::string_view field_lines) {
  h1_->send_interim(exchange_->head(), status, field_lines);
}

}  // namespace eider::detail::server
