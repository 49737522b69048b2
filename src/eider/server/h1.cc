#include "eider/server/h1.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/protocols/http/grammar.h"
#include "eider/protocols/http/h1/writer.h"
#include "eider/protocols/http/status.h"
#include "eider/server/connection_extra.h"
#include "eider/server/content.h"
#include "eider/server/service.h"

namespace eider::detail::server {

namespace {

/// If more output than this is corked, it is sent before the next request. If the socket does not
/// accept all of it, the next requests wait.
constexpr std::size_t kPipelinedBytesMax = 128UL * 1024;
/// If a request waits and more input than this follows it, reading is paused.
constexpr std::size_t kKeptInputBytesMax = 64UL * 1024;
/// The same for a request that waits for the output budget: many may wait, and their number has no
/// limit.
constexpr std::size_t kHeldBackBytesMax = 4UL * 1024;

}  // namespace

void H1::start() noexcept {
  state_ = State::ready;
  awaits_ = Awaits::first_byte;
}

void H1::end() noexcept {
  // Report the earlier response, which is not fully sent, before the current request.
  report_lost();
  end_current();
}

bool H1::is_idle() const noexcept {
  return state_ == State::ready && input_.is_empty() && stream().waiting_bytes() == 0;
}

base::SavedInput H1::take_rest() {
  base::SavedInput rest = input_.take();
  // Change the state before reading resumes: from here on, bytes belong to the other protocol.
  state_ = State::off;
  input_.resume(stream());
  return rest;
}

// Calls from the connection. The stack does not grow with the length of a pipeline: `serve` loops
// over requests with immediate responses, and a later response continues from the loop
// (settle_all).

void H1::on_bytes(std::string_view bytes) {
  if (is_reading() && input_.is_empty()) [[likely]] {
    const std::string_view rest = serve(bytes);
    // `bytes` is the loop's buffer, which the next connection uses when this returns. So copy the
    // unread rest, unless it will be ignored.
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
    // Kept bytes come first, so the new ones are appended to them before reading.
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
  // Note it before examining the state: a later response needs to know it.
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
  // Report the sent response before writing more.
  report_sent();
  switch (state_) {
    case State::held_back:
      if (connection_.extra().room->is_linked()) {
        break;  // an interim response was sent, and there is still no room
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
    await_close();  // the wait began before the server was stopped, with the longer time
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
          refuse_unread(h1::to_request_refusal(context().reader.refusal()), in);
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

/// in  starts with the request headers that were read
std::string_view H1::serve_request(std::string_view in) {
  const std::string_view whole = in;
  in.remove_prefix(context().reader.head_bytes());
  Request& request = context().request;
  // The values of the previous request are views of bytes that no longer exist.
  request.path_values().clear();
  request.set_peer(&connection_);
  const RequestPlan plan = context().service.plan(request);
  const RequestHead& head = request.head();
  if (context().output.is_crowded() && context().needs_room(plan, head.method)) [[unlikely]] {
    // Keep the request as bytes, and read it again when there is room: this needs no other memory.
    // Earlier responses are sent first, so that a client that does not read them is subject to the
    // usual minimum rate.
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
    // Keep the connection open: a new one would cost more than this rejection.
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
        // The body is a view of the receive buffer, which is valid because the response is made in
        // this call.
        context().request.set_body(in.substr(0, head.content_length));
        in.remove_prefix(head.content_length);
        respond_now(plan, in);
        return in;
      }
      break;  // the body must be read to find the start of the next request
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
    // The kept bytes do not move meanwhile: nothing is appended during this call.
    input_.drop_read(serve(input_.view()).size());
  }
  // Not earlier: resuming may deliver bytes, which must follow the kept ones.
  if (is_reading() && !(state_ == State::busy && current_->exchange().content().is_full())) {
    input_.resume(stream());
  }
}

// Responding.

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
    request.clear_extensions();  // after the response, which may contain views of them
  }
}

void H1::send_now(const RequestPlan& plan, Request& request, Response& response, bool has_more) {
  const RequestHead& head = request.head();
  const int status = response.status();
  // Before `send`, which may take the body.
  const std::uint64_t bytes = context().is_observed ? content_bytes(head.method, response) : 0;
  const h1::Persistence how = persistence(head, response);
  const Sent sent = send(plan, head.method, response, how);
  go_on(head, how, sent, has_more);
  // `go_on` may have flushed, so only now is it known whether the response was sent.
  if (context().is_observed) [[unlikely]] {
    report(request, status, bytes);
  }
}

// Afterwards, nothing refers to the receive buffer, which the next connection overwrites: the
// exchange copies the parts of the request that it needs.
bool H1::try_open_current(const RequestPlan& plan) {
  std::unique_ptr<Exchange> exchange = context().exchanges.take();
  if (exchange == nullptr) {
    refuse(kTooBusy, plan, context().request);
    return false;
  }
  current_ = context().take_stream();
  current_->open(*this, connection_, plan, std::move(exchange));
  state_ = State::busy;
  // The deadline for the headers ends here; the exchange has its own for the body.
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
  // The request has been read completely; `go_on` may change the state again.
  state_ = State::ready;
  go_on(current_->exchange().head(), end.persistence, end.sent,
        has_more || current_->has_unread_content());
  // After a flush in `go_on`, it is known whether the response was sent.
  end_current();
  if (state_ == State::ready && stream().waiting_bytes() != 0) {
    block();
  }
}

void H1::hand_over() {
  context().count_request();
  // Before the protocol writes, because its output is not a part of the response.
  current_->report();
  // Set the state first: the protocol may end the connection within the call.
  state_ = State::left;
  ContentPtr<Upgrade> upgrade =
      std::get<ContentPtr<Upgrade>>(current_->exchange().response().take_content());
  connection_.hand_over(*upgrade);
  upgrade.reset();  // it may refer to data of the request
  end_current();
}

// Ends the current request. The loop keeps the stream for later requests.
void H1::end_current() {
  if (current_ != nullptr) {
    current_->report();
    context().exchanges.give_back(current_->close());
    context().give_back(std::move(current_));
  }
}

void H1::go_on(const RequestHead& head, h1::Persistence persistence, Sent sent, bool has_more) {
  context().count_request();
  // The next request headers get their own deadline: `settle` sets it after all input was read.
  awaits_ = Awaits::next_request;
  has_answered_ = true;
  if (persistence == h1::Persistence::close) [[unlikely]] {
    // If the client itself asked to close and has sent nothing more, a reset loses no data.
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

namespace {

/// Returns the Origin header among the complete lines of a head.
std::optional<Field> find_origin(std::string_view head) noexcept {
  constexpr std::string_view kName = "Origin";
  for (std::size_t end = head.find('\n'); end != std::string_view::npos; end = head.find('\n')) {
    const std::string_view line =
        head.substr(0, head.substr(0, end).ends_with('\r') ? end - 1 : end);
    if (line.find(':') == kName.size() &&
        equals_ignoring_case(line.substr(0, kName.size()), kName)) {
      return Field{line.substr(0, kName.size()), trim(line.substr(kName.size() + 1))};
    }
    head.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

// The shared request of the reader contains incomplete data, or that of an earlier request.
void H1::refuse_unread(const RequestRefusal& refusal, std::string_view head) {
  Request unread;
  unread.set_peer(&connection_);
  // Without its origin, `cors` would not let a page read the error. No other header is known.
  const std::optional<Field> origin = find_origin(head);
  if (origin && is_field_value(origin->value)) {
    unread.head().bytes = head;
    unread.head().fields = std::span(&*origin, 1);
  }
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
  // FIN is sent after the waiting output; then `on_drained` closes the connection.
  stream().end();
  state_ = State::closing;
  expect_reader();
}

// RFC 9112, 9.6: closing while the client sends would cause a reset, which may arrive before the
// response.
void H1::linger() {
  if (input_.has_ended()) {
    close_behind_response();
    return;
  }
  // Set the state before reading resumes: from here on, bytes are counted and ignored.
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

// All output was sent: now the client must close its side.
void H1::await_close() {
  Lingering& lingering = *connection_.extra().lingering;
  lingering.bytes = 0;
  lingering.until = context().loop.now() + context().linger();
  expect(Awaits::linger, lingering.until);
}

// Sets the deadline for the next event. It must be the last statement of every callback, because
// the state shows the right deadline only after all input was read. For example, partial headers
// that the same bytes complete need no deadline.
void H1::settle() {
  if (state_ == State::ready && input_.is_empty() && !input_.has_ended()) [[likely]] {
    expect_within(Awaits::next_request, context().limits.idle);
  } else {
    settle_by_state();
  }
}

void H1::settle_by_state() {
  if (state_ == State::ready && input_.has_ended()) {
    // The client has closed its half, so partial headers are never completed.
    close_behind_response();
  } else if (state_ == State::busy && input_.has_ended() && input_.is_empty() &&
             current_->takes_content()) {
    end_current();  // neither is the body of a request that waited for an earlier response
    close_behind_response();
  } else if (state_ == State::ready && (awaits_ != Awaits::head || context().is_waited_for)) {
    expect_within(Awaits::head, context().head_time());
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
  // Read the bytes that arrived while the response was made first: the state after that sets the
  // deadline.
  serve_kept();
  settle();
  // This may destroy the connection.
  connection_.finish();
}

// Deadlines.

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

// While idle, also wakes up earlier, to check for a slow reader with unsent responses.
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
        stream().reset();  // an orderly close would keep data for this client in the kernel
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
