#include "eider/server/h1.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "eider/protocols/http/h1/writer.h"
#include "eider/protocols/http/status.h"
#include "eider/server/connection_extra.h"
#include "eider/server/content.h"
#include "eider/server/service.h"

namespace eider::detail::server {

namespace {

/// More than this is sent before the next request is answered, and what is refused stops the rest.
constexpr std::size_t kPipelinedBytesMax = 128UL * 1024;
/// More than this behind a request that waits, and reading is paused.
constexpr std::size_t kKeptInputBytesMax = 64UL * 1024;
/// The same of a request that waits for room: many may wait, and none is bounded by a count.
constexpr std::size_t kHeldBackBytesMax = 4UL * 1024;

}  // namespace

void H1::start() noexcept {
  state_ = State::ready;
  awaits_ = Awaits::first_byte;
}

void H1::end() noexcept {
  // The earlier answer that has not left is reported before the request that goes on.
  report_lost();
  end_current();
}

bool H1::is_idle() const noexcept {
  return state_ == State::ready && input_.is_empty() && stream().waiting_bytes() == 0;
}

base::SavedInput H1::take_rest() {
  base::SavedInput rest = input_.take();
  // The state changes before reading goes on: what comes from here is the other protocol's.
  state_ = State::off;
  input_.resume(stream());
  return rest;
}

// What the connection tells. The stack does not grow with a pipeline: `serve` loops over requests
// that are answered at once, and a response that comes later goes on from the loop (settle_all).

void H1::on_bytes(std::string_view bytes) {
  if (is_reading() && input_.is_empty()) [[likely]] {
    const std::string_view rest = serve(bytes);
    // `bytes` are the loop's, and the next connection's when this returns. So what is left of them
    // is copied, unless nobody will read it.
    if (!rest.empty() && (state_ < State::closing || state_ == State::left)) {
      input_.keep_rest(rest);
    }
  } else {
    keep_or_ignore(bytes);
  }
  settle();
}

void H1::keep_or_ignore(std::string_view bytes) {
  if (state_ < State::closing) {
    // What is kept comes first, so new bytes are appended and read in their row.
    input_.keep(bytes);
    serve_kept();
  } else if (state_ == State::lingering) {
    std::size_t& lingered_bytes = connection_.extra().lingering->bytes;
    lingered_bytes += bytes.size();
    if (lingered_bytes > context().limits.linger_bytes_max) {
      state_ = State::closed;
    }
  }
}

void H1::on_end() {
  // It is noted before the state is looked at: a response that comes later has to know it.
  input_.note_end();
  switch (state_) {
    case State::ready:
      close_behind_response();
      break;
    case State::busy:
      if (!current_->outlives_half_close()) {
        end_current();
        close_behind_response();
      }
      break;
    case State::lingering:
      state_ = State::closed;
      break;
    case State::held_back:
      expect_within(Awaits::probe, context().limits.half_close_probe);
      break;
    case State::blocked:
    case State::off:
    case State::closing:
    case State::left:
    case State::closed:
      break;
  }
  settle();
}

void H1::on_drained() {
  // What has left is reported before more is written behind it.
  report_sent();
  switch (state_) {
    case State::held_back:
      if (connection_.extra().room->is_linked()) {
        break;  // an interim response has left, and there is still no room
      }
      [[fallthrough]];
    case State::blocked:
      state_ = State::ready;
      serve_kept();
      break;
    case State::closing:
      state_ = State::closed;
      break;
    case State::lingering:
      await_close();
      break;
    case State::busy:
      current_->on_drained();
      finish_current({});
      break;
    case State::ready:
    case State::off:
    case State::left:
    case State::closed:
      break;
  }
  settle();
}

void H1::stop_endless() {
  if (state_ == State::busy) {
    current_->exchange().stop_endless();
  } else if (state_ == State::lingering && awaits_ == Awaits::linger &&
             connection_.extra().lingering->until > context().loop.now() + context().linger()) {
    await_close();  // the wait began before the server was stopped
  }
}

// Reading.

std::string_view H1::serve(std::string_view in) {
  while (!in.empty()) {
    if (state_ == State::ready) [[likely]] {
      switch (context().reader.read(in, context().head_limits)) {
        case h1::HeadStatus::complete:
          in = serve_request(in);
          break;
        case h1::HeadStatus::need_more:
          return in;
        case h1::HeadStatus::refused:
          refuse_unread(h1::to_request_refusal(context().reader.refusal()));
          return {};
      }
    } else if (is_reading()) {
      in = current_->read(in);
      finish_current(in);
    } else {
      return in;
    }
  }
  return in;
}

/// in  begins with the head that was read
std::string_view H1::serve_request(std::string_view in) {
  const std::string_view whole = in;
  in.remove_prefix(context().reader.head_bytes());
  Request& request = context().request;
  // The values of the request before are views into bytes that are gone.
  request.path_values().clear();
  request.set_peer(&connection_);
  const RequestPlan plan = context().service.plan(request);
  const RequestHead& head = request.head();
  if (context().output.is_crowded() && context().needs_room(plan, head.method)) [[unlikely]] {
    // It is kept as bytes, and read again when there is room: nothing of it costs more. Earlier
    // responses leave first, so that a client that does not read them is watched as usual.
    input_.read_again();
    state_ = State::held_back;
    stream().flush() ? Connection::Room::await(connection_) : block();
    return whole;
  }
  const bool is_copied = plan.waits || plan.keeps_request;
  if (head.body != BodyKind::none || is_copied || context().overload.is_on()) [[unlikely]] {
    return serve_by_course(plan, in);
  }
  request.set_body({});
  respond_now(plan, in);
  return in;
}

std::string_view H1::serve_by_course(const RequestPlan& plan, std::string_view in) {
  const RequestHead& head = context().request.head();
  const bool is_content_here = head.body != BodyKind::chunked && head.content_length <= in.size();
  if (context().overload.is_on() && context().overload.refuses(plan)) {
    if (!is_content_here) {
      refuse(kOverloaded, plan, context().request);
      return {};
    }
    // The connection stays: a new one would cost more than the refusal.
    Request& request = context().request;
    request.set_body({});
    in.remove_prefix(head.content_length);
    refuse_request(context().service, kOverloaded, plan, request, context().response);
    send_now(plan, request, context().response, !in.empty());
    request.clear_extensions();
    return in;
  }
  switch (handling_of(plan, head, is_content_here)) {
    case Handling::too_large:
      refuse(kBodyTooLarge, plan, context().request);
      return {};
    case Handling::at_once:
      if (!plan.ignores_body || head.body == BodyKind::none) {
        // The content is a view into the receive buffer: it is answered within this call.
        context().request.set_body(in.substr(0, head.content_length));
        in.remove_prefix(head.content_length);
        respond_now(plan, in);
        return in;
      }
      break;  // only reading the content tells where the next request begins
    case Handling::by_exchange:
      break;
  }
  if (!try_open_current(carried_out(plan, is_content_here))) {
    return {};
  }
  in = current_->begin(in);
  finish_current(in);
  return in;
}

void H1::serve_kept() {
  if (!is_reading()) {
    return;
  }
  const bool is_content = state_ == State::busy;
  if (!input_.is_empty() && (is_content || input_.may_have_head(context().head_limits))) {
    // What is kept stays where it is meanwhile: nothing is added to it from within.
    input_.drop_read(serve(input_.view()).size());
  }
  // Not earlier: resuming may bring bytes, which belong behind those that were kept.
  if (is_reading() && !(state_ == State::busy && current_->exchange().content().is_full())) {
    input_.resume(stream());
  }
}

// Answering.

void H1::respond_now(const RequestPlan& plan, std::string_view unread) {
  Request& request = context().request;
  Response& response = context().response;
  response.reset();
  {
    const RunningPlan::Now runs(context().running, plan);
    context().service.respond(plan, request, response);
  }
  const bool is_whole = is_in_memory(response) || content_as<FileContent>(response) != nullptr;
  if (is_whole) [[likely]] {
    send_now(plan, request, response, !unread.empty());
  } else if (try_open_current(plan)) {
    current_->exchange().respond_by(std::move(response));
    finish_current(unread);
  }
  if (request.extensions().are_used()) [[unlikely]] {
    request.clear_extensions();  // behind the response, which may be made of views of them
  }
}

void H1::send_now(const RequestPlan& plan, Request& request, Response& response, bool has_more) {
  const RequestHead& head = request.head();
  const int status = response.status();
  // Sending may take the content.
  const std::uint64_t bytes = context().is_observed ? content_bytes(head.method, response) : 0;
  const h1::Persistence how = persistence(head, response);
  const Sent sent = send(plan, head.method, response, how);
  go_on(head, how, sent, has_more);
  // `go_on` may have flushed: only behind that is it known whether the response has left.
  if (context().is_observed) [[unlikely]] {
    report(request, status, bytes);
  }
}

// From here on nothing is a view into the receive buffer, which the next connection writes to: the
// exchange copies what it needs of the request.
bool H1::try_open_current(const RequestPlan& plan) {
  std::unique_ptr<Exchange> exchange = context().exchanges.take();
  if (exchange == nullptr) {
    refuse(kTooBusy, plan, context().request);
    return false;
  }
  current_ = context().take_stream();
  current_->open(*this, connection_, plan, std::move(exchange));
  state_ = State::busy;
  // The deadline of the head ends here; the exchange watches its content by its own.
  expect(Awaits::nothing, Instant::max());
  return true;
}

void H1::finish_current(std::string_view unread) {
  if (current_ == nullptr || current_->end_state().kind == StreamH1::End::Kind::none) {
    return;
  }
  const StreamH1::End end = current_->end_state();
  if (end.kind == StreamH1::End::Kind::answered) {
    on_answered(end, !unread.empty() || !input_.is_empty());
  } else if (end.kind == StreamH1::End::Kind::upgraded) {
    hand_over();
  } else {
    end_current();
    state_ = State::closed;
  }
}

void H1::on_answered(const StreamH1::End& end, bool has_more) {
  // The request is over as far as reading goes; `go_on` may leave this state again.
  state_ = State::ready;
  go_on(current_->exchange().head(), end.persistence, end.sent,
        has_more || current_->has_unread_content());
  // After a flush in `go_on` it is known whether the response has left.
  end_current();
  if (state_ == State::ready && stream().waiting_bytes() != 0) {
    block();
  }
}

void H1::hand_over() {
  context().count_request();
  current_->report();  // before the protocol writes, which is no part of the response
  // The state is set first: the protocol may end the line within the call.
  state_ = State::left;
  ContentPtr<Upgrade> upgrade =
      std::get<ContentPtr<Upgrade>>(current_->exchange().response().take_content());
  connection_.hand_over(*upgrade);
  upgrade.reset();  // it may refer to what the request has made
  end_current();
}

// The loop keeps the stream for later requests.
void H1::end_current() {
  if (current_ != nullptr) {
    current_->report();
    context().exchanges.give_back(current_->close());
    context().give_back(std::move(current_));
  }
}

void H1::go_on(const RequestHead& head, h1::Persistence persistence, Sent sent, bool has_more) {
  context().count_request();
  // The next head gets a span of its own, which `settle` sets when all that is there was read.
  awaits_ = Awaits::next_request;
  has_answered_ = true;
  if (persistence == h1::Persistence::close) [[unlikely]] {
    // A client that wants the close itself, and has no more to send, has nothing to lose by a
    // reset.
    if (!has_more && !head.keeps_alive) {
      close_behind_response();
    } else {
      linger();
    }
  } else if (sent == Sent::partly || stream().output().size() >= kPipelinedBytesMax) [[unlikely]] {
    if (!stream().flush()) {
      block();
    }
  }
}

// What the reader has left in the shared request is of no use to anybody, or an earlier one's.
void H1::refuse_unread(const RequestRefusal& refusal) {
  Request unread;
  unread.set_peer(&connection_);
  refuse(refusal, RequestPlan(), unread);
}

void H1::refuse(const RequestRefusal& refusal, const RequestPlan& plan, Request& request) {
  Response& response = context().response;
  refuse_request(context().service, refusal, plan, request, response);
  (void)send_any(RequestPlan(), request.method(), response, h1::Persistence::close);
  context().count_request();
  if (context().is_observed) {
    report(request, response.status(), content_bytes(request.method(), response));
  }
  linger();
}

// Ending.

void H1::block() {
  state_ = State::blocked;
  expect_reader();
}

void H1::close_behind_response() {
  if (stream().flush()) {
    state_ = State::closed;
    return;
  }
  // FIN follows what waits; `on_drained` closes the connection behind that.
  stream().end();
  state_ = State::closing;
  expect_reader();
}

// RFC 9112, 9.6: a close while the client sends would be a reset, which may overtake the response.
void H1::linger() {
  if (input_.has_ended()) {
    close_behind_response();
    return;
  }
  // The state is set before reading goes on: what comes from here is counted and ignored.
  state_ = State::lingering;
  connection_.extra().lingering = std::make_unique<Lingering>();
  stream().end();
  input_.resume(stream());
  if (stream().waiting_bytes() != 0) {
    expect_reader();
    return;
  }
  await_close();
}

// All has left: the client has to close its side.
void H1::await_close() {
  Lingering& lingering = *connection_.extra().lingering;
  lingering.bytes = 0;
  lingering.until = context().loop.now() + context().linger();
  expect(Awaits::linger, lingering.until);
}

// Sets the deadline of what is waited for now. Last in every callback, since only the state in
// which all that has come was read says what that is: half a head that the same bytes complete
// needs none.
void H1::settle() {
  if (state_ == State::ready && input_.is_empty() && !input_.has_ended()) [[likely]] {
    expect_within(Awaits::next_request, context().limits.idle);
  } else {
    settle_by_state();
  }
}

void H1::settle_by_state() {
  if (state_ == State::ready && input_.has_ended()) {
    close_behind_response();  // half a head is there that nobody completes
  } else if (state_ == State::busy && input_.has_ended() && input_.is_empty() &&
             current_->takes_content()) {
    end_current();  // nor its content, of a request that waited behind another for its turn
    close_behind_response();
  } else if (state_ == State::ready && awaits_ != Awaits::head) {
    expect_within(Awaits::head, context().limits.head);
  }
  if (state_ >= State::closing && state_ != State::left) {
    input_.release();
  } else if (!is_reading() && input_.size() > (state_ == State::held_back ? kHeldBackBytesMax
                                                                          : kKeptInputBytesMax)) {
    input_.pause(stream());
  }
}

void H1::settle_all() {
  finish_current({});
  // What has come while the response was made is read first: the state behind it sets the deadline.
  serve_kept();
  settle();
  // The connection may be destroyed here.
  connection_.finish();
}

// Time.

void H1::expect(Awaits what, Instant due) {
  awaits_ = what;
  connection_.expect(due);
}

void H1::expect_within(Awaits what, Duration within) {
  expect(what, context().loop.now() + within);
}

void H1::expect_reader() {
  expect(Awaits::reader, connection_.watch_reader());
}

// While idle it looks in between whether a slow reader has left answers waiting.
Instant H1::wake_at(Instant due) const noexcept {
  return awaits_ == Awaits::next_request
             ? std::min(due, context().loop.now() + context().limits.write)
             : due;
}

void H1::on_time(bool is_due) {
  if (awaits_ == Awaits::next_request && stream().waiting_bytes() != 0) {
    expect_reader();
  } else if (is_due) {
    on_late();
  }
}

void H1::on_late() {
  switch (awaits_) {
    case Awaits::first_byte:
    case Awaits::next_request:
    case Awaits::linger:
      state_ = State::closed;
      return;
    case Awaits::head:
      refuse_unread(h1::to_request_refusal(h1::Refusal::head_too_slow));
      return;
    case Awaits::content:
      current_->check();
      finish_current({});
      return;
    case Awaits::reader:
      if (connection_.keeps_up()) {
        expect_within(Awaits::reader, context().limits.write);
      } else {
        stream().reset();  // what the kernel holds for this client would wait for it too
        state_ = State::closed;
      }
      return;
    case Awaits::probe:
      if (state_ == State::held_back) {
        connection_.extra().room->probe();
      } else if (!current_->probe()) {
        end_current();
        close_behind_response();
      }
      return;
    case Awaits::nothing:
      return;
  }
}

}  // namespace eider::detail::server
