#include "eider/server/http2/stream_h2.h"

#include <utility>

#include "eider/server/content.h"
#include "eider/server/http2/connection_h2.h"
#include "eider/server/observer.h"

namespace eider::detail::http2 {

void ReceiverH2::take(std::string_view bytes) {
  // Count the bytes before passing them on: `may_send` and the observer use the count.
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

/// Bytes that the handler reads itself are credited when it has taken them.
void ReceiverH2::take_for_handler(std::string_view bytes) {
  const bool is_gathered = stream_.is_gathering();
  // Added to a list: its handler is called after the session returns.
  if (stream_.exchange()->content().take(bytes)) {
    stream_.become_ready();
  } else if (is_gathered) {
    note_gathered(bytes.size());
  }
}

/// Lets the client send more, as far as the connection's limit permits.
void ReceiverH2::note_gathered(std::size_t bytes) {
  // Opens the window by the same amount, unless the connection's limit is reached.
  gathered_bytes_ += bytes;
  if (stream_.connection().streams().note_gathered(stream_, bytes)) {
    give_credit();
  }
}

void ReceiverH2::forget_gathered() noexcept {
  stream_.connection().streams().forget_gathered(std::exchange(gathered_bytes_, 0));
}

// Before the response, no credit is given: a client that sends a body that is not used waits at its
// window.
void ReceiverH2::discard(std::size_t bytes) {
  // A rejected request gets its response first; only then is its body discarded.
  if (!is_lingering_) {
    return;
  }
  lingered_bytes_ += bytes;
  if (lingered_bytes_ > stream_.connection().context().limits.linger_bytes_max) {
    // RFC 9113, 8.1: a reset with NO_ERROR means that the response is complete.
    stream_.connection().session().reset(stream_.id(), h2::ErrorCode::no_error);
  } else {
    give_credit();
  }
}

void ReceiverH2::take_end(std::string_view trailer_lines) {
  is_over_ = true;  // no credit from here on: the stream may be closed
  if (!stream_.takes_content()) {
    if (TunnelH2* const tunnel = stream_.response().tunnel()) {
      tunnel->take_end();
    }
  } else if (stream_.exchange()->content().take_end(trailer_lines)) {
    stream_.become_ready();
  }
}

void ReceiverH2::on_taken() {
  // The bytes that were collected before the handler took them count towards the limit too.
  if (stream_.is_gathering()) {
    note_gathered(stream_.exchange()->content().view().size());
  } else {
    give_credit();
  }
  stream_.connection().want_turn();
}

void ReceiverH2::give_credit() {
  // A stream that has ended gets no WINDOW_UPDATE.
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
  linger_due_ = context.loop.now() + context.linger();
  // A client that waits at its window reads the response only when it may continue to send.
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

StreamH2::~StreamH2() {
  reset();
}

void StreamH2::open(ConnectionH2& connection, h2::StreamId id) noexcept {
  connection_ = &connection;
  id_ = id;
  state_ = State::head;
}

// The observer reads the request; a tunnel's protocol and the exchange's task use the body,
// extensions and peer. So they end in this order, and the request is reset last.
void StreamH2::reset() noexcept {
  // Remove the stream from its list before its parts end.
  unlink();
  if (connection_ == nullptr) {
    return;
  }
  report(Outcome::cut_off);
  response_.end_tunnel();
  end_exchange();
  response_.reset();
  receiver_.reset();
  constexpr std::size_t kScratchBytesMax = 16UL * 1024;
  if (request_.scratch().capacity() > kScratchBytesMax) {
    request_.scratch().release();
  }
  request_.set_peer(nullptr);
  request_.clear_extensions();
  refusal_.reset();
  connection_ = nullptr;
}

// The request.

void StreamH2::on_head(h2::Ends ends) {
  // Set the end of the request before its headers: the plan uses it.
  receiver_.begin(ends);
  refusal_ = builder_.finish(ends, request_.head());
  is_reported_ = false;
  began_ = connection_->context().loop.now();
  // The plan of the previous request must not apply to this one.
  plan_ = RequestPlan();
  request_.set_route({});
  request_.path_values().clear();
  request_.set_body({});
  // The peer is the response, which outlives the exchange.
  request_.set_peer(&response_);
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
    response_.make_tunnel();
  }
  const bool is_content_here = ends == h2::Ends::with_head || head.opens_websocket;
  plan_ = server::carried_out(plan_, is_content_here);
  switch (server::handling_of(plan_, head, is_content_here)) {
    case server::Handling::at_once:
      become_ready();
      return;
    case server::Handling::too_large:
      refuse(kBodyTooLarge);
      return;
    case server::Handling::by_exchange:
      break;
  }
  // For a complete request, `serve` creates the exchange, since the client may cancel it until
  // then.
  const bool is_begun = is_content_here && !plan_.streams_body;
  if (is_begun || (make_exchange() && exchange_->begin_content(false))) {
    become_ready();
  }
}

bool StreamH2::make_exchange() {
  exchange_ = connection_->context().exchanges.take();
  if (exchange_ == nullptr) {
    refuse(kTooBusy);
    return false;
  }
  // The exchange copies the headers, because the builder's memory is reused for the next request.
  exchange_->open(request_, plan_, response_);
  return true;
}

void StreamH2::refuse(const RequestRefusal& refusal) {
  refusal_ = refusal;
  become_ready();
}

void StreamH2::become_ready() {
  // A stream is served once, even if it becomes ready several times.
  if (state_ != State::ready) {
    state_ = State::ready;
    connection_->add_ready(*this);
  }
}

// The response.

void StreamH2::serve() {
  state_ = State::busy;
  server::Overload& overload = connection_->context().overload;
  if (!refusal_ && overload.is_on() && overload.refuses(plan_)) [[unlikely]] {
    refusal_ = kOverloaded;
  }
  if (refusal_) {
    // A rejection does not need the collected body.
    end_exchange();
    response_.refuse(*refusal_);
  } else if (exchange_ == nullptr && !plan_.waits) {
    respond_at_once();
  } else if (exchange_ != nullptr || make_exchange()) {
    exchange_->serve();
  }  // else: it is ready again, to be rejected
  finish_exchange();
}

void StreamH2::respond_at_once() {
  Response& response = response_.response();
  {
    const server::RunningPlan::Now runs(connection_->context().running, plan_);
    connection_->context().service.respond(plan_, request_, response);
  }
  const bool is_whole = is_in_memory(response) || content_as<FileContent>(response) != nullptr;
  if (is_whole) {
    response_.send(response);
  } else if (make_exchange()) {
    exchange_->respond_by(std::move(response));
  }
}

void StreamH2::fill_refusal(const RequestRefusal& refusal, Response& response) {
  server::refuse_request(connection_->context().service, refusal, plan_, request_, response);
}

void StreamH2::finish_exchange() {
  if (exchange_ == nullptr || !response_.has_ended()) {
    return;
  }
  if (response_.is_tunnelling()) {
    response_.begin_tunnel(exchange_->response());
    end_exchange();
  } else if (exchange_->has_begun()) {
    end_exchange();  // the queue has the bytes that are not sent yet
  } else {
    // It is left after Session::send, which has copied as much of the response as possible by then.
    connection_->add_answered(*this);
  }
}

void StreamH2::leave_exchange() {
  // Take over the rest of the response before the exchange is reset.
  response_.keep(exchange_->response());
  end_exchange();
}

void StreamH2::end_exchange() noexcept {
  if (exchange_ != nullptr) {
    if (!exchange_->is_running()) {
      request_.take_extensions(exchange_->request());  // observers are called later
    }
    if (is_reported_) {
      request_.clear_extensions();
    }
    // Give back the exchange before the count of collected bytes, which lets other streams
    // continue.
    connection_->context().exchanges.give_back(std::move(exchange_));
    receiver_.forget_gathered();
  }
}

void StreamH2::stop_endless() {
  if (state_ != State::closed && response_.is_tunnelling()) {
    response_.tunnel()->stop();
  } else if (exchange_ != nullptr) {
    exchange_->stop_endless();
  }
}

// Called when END_STREAM was sent. The input of a client that still sends is read for a while; a
// tunnel's protocol waits for the client's end itself.
void StreamH2::on_answered() {
  report(Outcome::answered);
  if (receiver_.is_over()) {
    return;
  }
  TunnelH2* const tunnel = response_.tunnel();
  if (tunnel != nullptr && !tunnel->is_closed()) {
    tunnel->note_end_sent();
  } else {
    receiver_.linger();
  }
}

void StreamH2::on_closed(h2::ErrorCode) {
  if (state_ != State::closed) {
    // Set the state before removing it from its lists, so that it is added only once.
    state_ = State::closed;
    unlink();
    // Not destroyed here, within a call of nghttp2, because destroying its handler may have any
    // side effect.
    connection_->streams().add_closed(*this);
  }
}

void StreamH2::check(Instant now) {
  const bool is_produced = exchange_ != nullptr && exchange_->is_producing();
  // A response that is still being made is not the client's fault.
  if (response_.is_complete() || is_produced) {
    response_.check(now);
  }
  receiver_.check(now);
}

void StreamH2::report(Outcome outcome) noexcept {
  if (std::exchange(is_reported_, true)) {
    return;
  }
  server::LoopContext& context = connection_->context();
  if (context.is_observed) {
    observe(outcome);
  }
  // Free resources in extensions, such as a place of a limit, before lingering and before the life
  // of a WebSocket.
  request_.clear_extensions();
}

void StreamH2::observe(Outcome outcome) noexcept {
  server::LoopContext& context = connection_->context();
  context.service.observe({.request = exchange_ == nullptr ? request_ : exchange_->request(),
                           .status = response_.status(),
                           .bytes_in = receiver_.bytes(),
                           .bytes_out = response_.sent_bytes(),
                           .is_complete = outcome == Outcome::answered,
                           .began = began_,
                           .ended = context.loop.read_now(),
                           .protocol = "HTTP/2"});
}

}  // namespace eider::detail::http2
