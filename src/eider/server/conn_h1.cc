// ConnectionH1: what arrives and what is answered. See also conn_h1_opening.cc, conn_h1_content.cc,
// conn_h1_end.cc and conn_h1_time.cc.
#include "eider/server/detail/conn_h1.h"

#include <utility>

#include "eider/http/h1/writer.h"
#include "eider/server/detail/answer.h"
#include "eider/server/service.h"

namespace eider::detail {

namespace {

/// More than this is sent before the next request is answered, and what is refused stops the rest.
constexpr std::size_t kCorkBytesMax = 128UL * 1024;
/// More than this behind a request that waits, and reading is paused.
constexpr std::size_t kSavedBytesMax = 64UL * 1024;

constexpr int kUnavailable = 503;

}  // namespace

bool ConnectionH1::is_idle() const noexcept {
  const bool is_asked_nothing = state_ == State::ready || state_ == State::preface;
  const bool is_early = has_early_ && is_shaking_hands_;  // its answer may still be on its way
  return is_asked_nothing && saved_.empty() && !is_early && stream_.waiting_bytes() == 0;
}

// What the stream tells.

void ConnectionH1::serve_or_save(std::string_view bytes) {
  const std::string_view rest = serve(bytes);
  if (!rest.empty() && state_ < State::closing) {
    search_.reset();
    save(rest);
    deliver_saved();
  }
}

void ConnectionH1::on_bytes(std::string_view bytes) {
  if (is_reading() && saved_.empty()) [[likely]] {
    serve_or_save(bytes);
  } else {
    take_unusual(bytes);
  }
  settle();
}

// Reading.

std::string_view ConnectionH1::serve(std::string_view in) {
  while (!in.empty()) {
    if (state_ == State::ready) [[likely]] {
      switch (context_.reader.read(in, context_.head_limits)) {
        case h1::HeadStatus::complete:
          in = serve_request(in.substr(context_.reader.head_bytes()));
          break;
        case h1::HeadStatus::need_more:
          return in;
        case h1::HeadStatus::refused:
          if (begins_other_protocol(in)) {
            return in;
          }
          refuse(context_.reader.refusal(), Method::unknown);
          return {};
      }
    } else if (state_ == State::body) {
      in = gather_more(in);
    } else {
      return in;
    }
  }
  return in;
}

std::string_view ConnectionH1::serve_request(std::string_view in) {
  Request& request = context_.request;
  request.path_values().clear();
  request.set_peer(this);
  if (has_early_) [[unlikely]] {
    request.head().is_early |= is_early(request.head().bytes.size() + in.size());
  }
  const Plan plan = context_.service.plan(request);
  const RequestHead& head = request.head();
  if (head.body != BodyKind::none || plan.waits || head.wants_upgrade) [[unlikely]] {
    return serve_unusual(plan, in);
  }
  request.set_body({});
  answer_now(plan, in);
  return in;
}

std::string_view ConnectionH1::serve_unusual(const Plan& plan, std::string_view in) {
  const RequestHead& head = context_.request.head();
  if (head.wants_upgrade && try_upgrade()) {
    return in;
  }
  if (head.body == BodyKind::sized && head.content_length > plan.body_bytes_max) {
    refuse(h1::Refusal::body_too_large, head.method);
    return {};
  }
  if (plan.streams_body) {
    return stream_content(plan, in);
  }
  const bool is_gathered = head.body == BodyKind::chunked || head.content_length > in.size();
  return is_gathered ? gather(plan, in) : serve_whole(plan, in);
}

// The content is there already, or there is none.
std::string_view ConnectionH1::serve_whole(const Plan& plan, std::string_view in) {
  Request& request = context_.request;
  const std::string_view body = in.substr(0, request.head().content_length);
  in.remove_prefix(body.size());
  if (!plan.waits) {
    request.set_body(body);
    answer_now(plan, in);
  } else if (make_exchange(plan)) {
    exchange_->copy_body(body);
    begin_waiting(in);
  }
  return in;
}

std::string_view ConnectionH1::gather(const Plan& plan, std::string_view in) {
  if (!make_exchange(plan)) {
    return {};
  }
  const RequestHead& head = exchange_->request().head();
  exchange_->body().begin(head, plan.body_bytes_max);
  state_ = State::body;
  watch_body();
  // RFC 9110, 10.1.1: it may be left out when some of the content has arrived already.
  if (head.expects_continue && head.minor_version != 0 && in.empty()) {
    stream_.output().append(h1::kContinue);
  }
  return in;
}

std::string_view ConnectionH1::gather_more(std::string_view in) {
  const BodyStep step = exchange_->body().read(in);
  in.remove_prefix(step.consumed);
  switch (step.status) {
    case BodyStatus::need_more:
      return in;
    case BodyStatus::complete:
      exchange_->use_gathered_body();
      answer_gathered(in);
      return in;
    case BodyStatus::refused:
      refuse(exchange_->body().refusal(), exchange_->request().method());
      return {};
  }
  return in;
}

void ConnectionH1::serve_saved() {
  if (!is_reading()) {
    deliver_saved();
    return;
  }
  const bool may_have_head = search_.is_worth_reading(saved_.view(), context_.head_limits);
  if (!saved_.empty() && (state_ == State::body || may_have_head)) {
    const std::string_view rest = serve(saved_.view());
    if (rest.size() != saved_.size()) {
      search_.reset();
      saved_.drop(saved_.size() - rest.size());
    }
  }
  deliver_saved();
  if (is_reading() && is_paused_) {
    is_paused_ = false;
    stream_.resume_reading();
  }
}

void ConnectionH1::save(std::string_view bytes) {
  saved_.append(bytes);
  if (has_early_ && !is_shaking_hands_) [[unlikely]] {
    note_late(bytes.size());
  }
  if (!is_reading() && saved_.size() > kSavedBytesMax && !is_paused_) {
    is_paused_ = true;
    stream_.pause_reading();
  }
}

void ConnectionH1::discard(std::size_t bytes) {
  progress_ += bytes;
  if (state_ == State::lingering && progress_ > context_.limits.linger_bytes_max) {
    state_ = State::closed;
  }
}

// Answering.

void ConnectionH1::answer_now(const Plan& plan, std::string_view unread) {
  Response& response = context_.response;
  response.reset();
  context_.service.answer(plan, context_.request, response);
  if (response.content() != nullptr) [[unlikely]] {
    answer_now_with_content(plan, unread);
  } else {
    write(context_.request.head(), response, unread);
  }
}

void ConnectionH1::answer_gathered(std::string_view unread) {
  if (exchange_->plan().waits) {
    begin_waiting(unread);
    return;
  }
  context_.service.answer(exchange_->plan(), exchange_->request(), exchange_->response());
  write_exchange(unread);
}

void ConnectionH1::begin_waiting(std::string_view unread) {
  state_ = State::waiting;
  expect(Patience::endless, {});
  if (exchange_->begin(context_.service, *this)) {
    write_exchange(unread);
  }
}

void ConnectionH1::on_answered(Exchange&) {
  write_exchange(saved_.view());
  serve_saved();
  settle();
}

void ConnectionH1::write_exchange(std::string_view unread) {
  state_ = State::ready;
  if (!begin_content(unread)) {
    write_whole_exchange(unread);
  }
}

void ConnectionH1::write_whole_exchange(std::string_view unread) {
  if (!exchange_->inbox().is_whole()) {
    exchange_->response().close_connection();  // where the next request begins is not known
  }
  write(exchange_->request().head(), exchange_->response(), unread);
  end_exchange_and_go_on();
}

void ConnectionH1::end_exchange_and_go_on() {
  end_exchange();
  if (state_ == State::ready && stream_.waiting_bytes() != 0) {
    block();
  }
}

bool ConnectionH1::make_exchange(const Plan& plan) {
  exchange_ = context_.exchanges.take();
  if (exchange_ == nullptr) {
    refuse(kUnavailable, "The server is busy. Try again in a moment.", context_.request.method());
    return false;
  }
  exchange_->copy(context_.request, plan, *this);
  return true;
}

void ConnectionH1::end_exchange() {
  if (exchange_ != nullptr) {
    context_.exchanges.give_back(std::move(exchange_));
  }
}

h1::Persistence ConnectionH1::persistence(const RequestHead& head,
                                          const Response& response) const noexcept {
  if (!head.keeps_alive || response.closes_connection() || context_.is_draining) [[unlikely]] {
    return h1::Persistence::close;
  }
  return head.minor_version == 0 ? h1::Persistence::spoken : h1::Persistence::implied;
}

void ConnectionH1::write(const RequestHead& head, Response& response, std::string_view unread) {
  const h1::Persistence how = persistence(head, response);
  const Sent sent = write_answer(stream_, head.method, response, how,
                                 context_.start.at(context_.loop.wall_seconds()));
  go_on(head, how, sent, unread);
}

void ConnectionH1::go_on(const RequestHead& head, h1::Persistence persistence, Sent sent,
                         std::string_view unread) {
  context_.count_request();
  patience_ = Patience::idle;
  has_answered_ = true;
  if (persistence == h1::Persistence::close) [[unlikely]] {
    // A client that wants the close itself, and has sent no more, has nothing to lose by a reset;
    // but who was early has still to finish the handshake.
    if (unread.empty() && !head.keeps_alive && !is_shaking_hands_) {
      close_behind_answer();
    } else {
      linger();
    }
  } else if (sent == Sent::partly || stream_.output().size() >= kCorkBytesMax) [[unlikely]] {
    if (!stream_.flush()) {
      block();
    }
  }
}

void ConnectionH1::refuse(h1::Refusal refusal, Method method) {
  const h1::RefusalInfo& info = h1::refusal_info(refusal);
  refuse(info.status, info.text, method);
}

void ConnectionH1::refuse(int status, std::string_view detail, Method method) {
  Response& response = context_.response;
  response.reset();
  context_.service.refuse(status, detail, response);
  write_answer(stream_, method, response, h1::Persistence::close,
               context_.start.at(context_.loop.wall_seconds()));
  context_.count_request();
  end_exchange();
  linger();
}

// Ending.

void ConnectionH1::settle() {
  if (state_ == State::ready && saved_.empty() && !has_peer_ended_) [[likely]] {
    expect(Patience::idle, context_.limits.idle);
    return;
  }
  if (state_ == State::ready) {
    settle_reading();
  }
  if (state_ >= State::closing) {
    saved_.release();
  }
  if (state_ == State::closed) {
    stream_.close();
    context_.connections->on_closed(*this);  // this is no more
  }
}

}  // namespace eider::detail
