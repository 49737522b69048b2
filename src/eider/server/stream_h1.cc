#include "eider/server/stream_h1.h"

#include <utility>

#include "eider/protocols/http/status.h"
#include "eider/server/connection.h"
#include "eider/server/h1.h"

namespace eider::detail::server {

namespace {

/// Between two further interim responses to a client that has closed its half.
constexpr Duration kNextProbe = std::chrono::seconds(15);

}  // namespace

void StreamH1::open(H1& h1, Connection& connection, const RequestPlan& plan,
                    std::unique_ptr<Exchange> exchange) {
  h1_ = &h1;
  connection_ = &connection;
  exchange_ = std::move(exchange);
  // The connection is known before: opening may ask for the address of the client.
  exchange_->open(connection.context().request, plan, *this);
  // The reader begins with the exchange's copy of the head: the connection's is reused.
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

// What arrives.

std::string_view StreamH1::begin(std::string_view in) {
  if (!exchange_->begin_content(!in.empty())) {
    return in;
  }
  if (exchange_->content().is_taken()) {
    in = read(in);
  }
  // The content is not wanted, but the next request begins behind it.
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
        // Behind wrong framing nobody knows what the bytes are.
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
  // The reader is waited for no more, or `watch` would leave the deadline to it.
  h1_->expect(H1::Awaits::nothing, Instant::max());
  watch(due_ == Instant::max() ? due_ : context.loop.now() + context.limits.body);
  exchange_->go_on();
}

bool StreamH1::outlives_half_close() {
  if (takes_content() || exchange_->is_live()) {
    return false;  // a client that asks for events, or has not sent all, has left
  }
  if (exchange_->is_waiting() && exchange_->head().minor_version != 0) {
    h1_->expect_within(H1::Awaits::probe, connection_->context().limits.half_close_probe);
  }
  return true;
}

// A client that has only closed its half ignores an interim response (RFC 9110, section 15.2). One
// that has left answers with a reset, whereupon the stream is broken and the request cancelled.
// Behind the head such a response would stand in the content; there the content itself tells.
bool StreamH1::probe() {
  using Awaits = H1::Awaits;
  if (exchange_->is_live()) {
    return false;  // the handler waited when the client closed its half, and makes events now
  }
  if (exchange_->has_begun()) {
    h1_->expect(Awaits::nothing, Instant::max());
  } else {
    // It leaves with the turn; a client that has left answers it with a reset.
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

// A slow reader is waited for first: what it does not take keeps the handler from asking for more.
void StreamH1::watch(Instant due) noexcept {
  using Awaits = H1::Awaits;
  // It is remembered also while a reader is waited for: `on_drained` takes it up again.
  due_ = due;
  if (h1_->awaits() != Awaits::reader) {
    const bool is_watched = due != Instant::max();
    h1_->expect(is_watched ? Awaits::content : Awaits::nothing, due);
  }
}

// What leaves.

// The one place that says whether another request follows one that waited: each way in which such
// an exchange ends asks here when it ends. While content is still to come, nobody knows where the
// next request begins, and that content, read as a request, would be one that the client never
// sent.
h1::Persistence StreamH1::persistence(const Response& response) const noexcept {
  return has_unread_content() ? h1::Persistence::close
                              : h1_->persistence(exchange_->head(), response);
}

void StreamH1::send(Response& response) {
  const Method method = exchange_->head().method;
  status_ = response.status();
  response_bytes_ = content_bytes(method, response);  // sending may take the content
  const h1::Persistence how = persistence(response);
  const Sent sent = h1_->send(exchange_->plan(), method, response, how);
  end_ = {.kind = End::Kind::answered, .persistence = how, .sent = sent};
}

// RFC 9110, 7.8: a client speaks the other protocol once it has sent its request whole. What is
// still to come of its content would be taken for the other protocol.
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
    // Without a length or chunks the connection's end is the content's.
    persistence_ = h1::Persistence::close;
  } else {
    // The request's content may have come by the time at which the response ends: see `end`.
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
    connection_->stream().reset();  // an orderly end would say that this was all
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
