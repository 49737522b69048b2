// ConnectionH1: content that is read while it comes, made while it is sent, or none of HTTP's.
#include <optional>
#include <string>
#include <utility>

#include "eider/http/h1/writer.h"
#include "eider/http/status.h"
#include "eider/server/detail/answer.h"
#include "eider/server/detail/conn_h1_aside.h"
#include "eider/server/service.h"

namespace eider::detail {

namespace {

/// As much as is taken of a content that the handler does not ask for.
constexpr std::size_t kAheadBytesMax = 64UL * 1024;

}  // namespace

// What the stream tells, in states of few connections.

void ConnectionH1::take_unusual(std::string_view bytes) {
  if (state_ == State::upgraded) {
    aside_->takeover->protocol->on_bytes(bytes);
  } else if (state_ == State::preface) {
    read_preface(bytes);
  } else if (takes_content()) {
    const std::string_view rest = feed(bytes);
    if (!rest.empty()) {
      save(rest);
    }
  } else if (state_ < State::closing) {
    save(bytes);
    serve_saved();
  } else {
    discard(bytes.size());
  }
}

void ConnectionH1::end_unusual() {
  if (state_ == State::upgraded) {
    aside_->takeover->protocol->on_end();
  } else if (takes_content() ||
             (state_ == State::producing && exchange_->production()->content().is_live())) {
    // Who asks for events, or has not sent all, has left by closing its half.
    end_exchange();
    close_behind_answer();
  } else if (state_ == State::waiting) {
    watch_half_closed();
  }
}

void ConnectionH1::go_on_writing() {
  if (state_ == State::upgraded) {
    aside_->takeover->protocol->on_drained();
  } else {
    watch_content();
    exchange_->production()->go_on();
  }
}

void ConnectionH1::break_unusual() {
  if (state_ == State::upgraded) {
    aside_->takeover->protocol->on_broken();
  }
}

void ConnectionH1::stop_endless() {
  if (state_ == State::upgraded) {
    if (!std::exchange(aside_->takeover->is_told_to_stop, true)) {
      aside_->takeover->protocol->on_stopping();
    }
  } else if (state_ == State::producing && exchange_->production()->content().is_live()) {
    exchange_->production()->stop();
  }
}

void ConnectionH1::deliver_saved() {
  if (state_ != State::upgraded || saved_.empty()) {
    return;
  }
  aside_->takeover->protocol->on_bytes(saved_.view());
  saved_.release();
  if (is_paused_ && state_ == State::upgraded) {
    is_paused_ = false;
    stream_.resume_reading();
  }
}

// Content of requests.

std::string_view ConnectionH1::stream_content(const Plan& plan, std::string_view in) {
  if (!make_exchange(plan)) {
    return {};
  }
  Inbox& inbox = exchange_->inbox();
  inbox.begin(exchange_->request().head(), plan.body_bytes_max, *this);
  if (!inbox.is_over()) {
    in.remove_prefix(inbox.read(in));
  }
  begin_waiting(in);
  return in;
}

std::string_view ConnectionH1::feed(std::string_view in) {
  Inbox& inbox = exchange_->inbox();
  in.remove_prefix(inbox.read(in));
  if (!inbox.is_over() && inbox.waiting_bytes() >= kAheadBytesMax && !is_paused_) {
    is_paused_ = true;
    stream_.pause_reading();
  }
  if (inbox.is_over() || is_paused_) {
    watch_content();
  }
  return in;
}

// Only who is asked for something, and hindered by nothing, is held to a pace.
void ConnectionH1::watch_content() {
  if (takes_content() && exchange_->inbox().is_wanted() && !is_paused_) {
    watch_body();
  } else {
    expect(Patience::endless, {});
  }
}

void ConnectionH1::on_content_wanted() {
  if (!takes_content()) {
    return;
  }
  const RequestHead& head = exchange_->request().head();
  if (head.expects_continue && head.minor_version != 0 && exchange_->inbox().bytes() == 0) {
    stream_.output().append(h1::kContinue);
  }
  watch_body();
}

void ConnectionH1::on_content_taken() {
  if (takes_content() && is_paused_) {
    is_paused_ = false;
    stream_.resume_reading();
    watch_content();
  }
}

// Content of answers.

void ConnectionH1::answer_now_with_content(const Plan& plan, std::string_view unread) {
  Response& response = context_.response;
  if (dynamic_cast<Upgrade*>(response.content()) != nullptr) {
    upgrade(response);
  } else if (dynamic_cast<FileContent*>(response.content()) != nullptr) {
    write(context_.request.head(), response, unread);
  } else if (make_exchange(plan)) {
    exchange_->response() = std::move(response);
    begin_production(unread);
  }
}

/// Whether the answer's end is not yet in sight.
bool ConnectionH1::begin_content(std::string_view unread) {
  Content* content = exchange_->response().content();
  if (content == nullptr || dynamic_cast<FileContent*>(content) != nullptr) {
    return false;
  }
  if (dynamic_cast<Upgrade*>(content) != nullptr) {
    upgrade(exchange_->response());
    end_exchange();
  } else {
    begin_production(unread);
  }
  return true;
}

void ConnectionH1::begin_production(std::string_view unread) {
  exchange_->produce(*this);
  Production& production = *exchange_->production();
  const RequestHead& head = exchange_->request().head();
  if (head.method == Method::head || is_bodiless(exchange_->response().status())) {
    (void)on_content_begins(production);
    go_on(head, production_persistence(production), Sent::corked, unread);
    end_exchange_and_go_on();
    return;
  }
  state_ = State::producing;
  expect(Patience::endless, {});
  production.start();
}

h1::Persistence ConnectionH1::production_persistence(const Production& production) const noexcept {
  const RequestHead& head = exchange_->request().head();
  const bool has_visible_end = production.content().length() || head.minor_version != 0;
  return has_visible_end || head.method == Method::head ? persistence(head, exchange_->response())
                                                        : h1::Persistence::close;
}

h1::Framing ConnectionH1::on_content_begins(const Production& production) {
  const RequestHead& request = exchange_->request().head();
  const Response& response = exchange_->response();
  const std::optional<std::uint64_t> length = production.content().length();
  h1::ResponseHead head{.status = response.status(),
                        .framing = h1::Framing::none,
                        .persistence = production_persistence(production),
                        .content_length = length.value_or(0),
                        .content_type = response.content_type(),
                        .start = &context_.start.at(context_.loop.wall_seconds()),
                        .field_lines = response.field_lines()};
  if (is_bodiless(head.status)) {
    head.content_type = {};
  } else if (length) {
    head.framing = h1::Framing::sized;
  } else if (request.minor_version != 0) {
    head.framing = h1::Framing::chunked;
  }
  h1::write_head(stream_.output(), head);
  return head.framing;
}

void ConnectionH1::on_content_blocked() {
  watch_writing();
}

void ConnectionH1::on_produced(Production& production) {
  if (production.failure()) {
    fail_production(production);
  } else {
    production.write_end();
    const h1::Persistence how =
        exchange_->inbox().is_whole() ? production_persistence(production) : h1::Persistence::close;
    state_ = State::ready;
    go_on(exchange_->request().head(), how, Sent::corked, saved_.view());
    end_exchange_and_go_on();
  }
  serve_saved();
  settle();
}

// What has left cannot be taken back: the client learns of it by the connection's end.
void ConnectionH1::fail_production(Production& production) {
  exchange_->answer_failed(context_.service);
  if (!production.has_begun()) {
    state_ = State::ready;
    write_whole_exchange(saved_.view());
    return;
  }
  if (production.framing() == h1::Framing::none) {
    stream_.reset();  // an orderly end would say that this was all
  }
  end_exchange();
  state_ = State::closed;
}

void ConnectionH1::upgrade(Response& response) {
  const h1::ResponseHead answer{.status = response.status(),
                                .framing = h1::Framing::none,
                                .persistence = h1::Persistence::upgrade,
                                .start = &context_.start.at(context_.loop.wall_seconds()),
                                .field_lines = response.field_lines()};
  h1::write_head(stream_.output(), answer);
  context_.count_request();
  const std::unique_ptr<Content> content = response.take_content();
  Takeover& takeover = begin_takeover();
  takeover.protocol = static_cast<Upgrade&>(*content).take_over(takeover);
}

ConnectionH1::Takeover& ConnectionH1::begin_takeover() {
  state_ = State::upgraded;
  expect(Patience::endless, {});
  if (aside_ == nullptr) {
    aside_ = std::make_unique<Aside>();
  }
  return aside_->takeover.emplace(*this);
}

// RFC 7540, 3.2: a request may ask for HTTP/2; not in TLS, where ALPN chooses.
bool ConnectionH1::try_upgrade() {
  if (context_.protocol == nullptr || context_.is_draining || stream_.seal() != nullptr ||
      context_.request.head().body != BodyKind::none) {
    return false;
  }
  Response& response = context_.response;
  response.reset();
  context_.request.set_body({});
  const bool is_wanted = context_.protocol->upgrade(context_.request, response);
  if (is_wanted) {
    upgrade(response);
  }
  return is_wanted;
}

/// Whether `in`, which is no HTTP/1.1, begins another protocol, or may do so when more has come.
bool ConnectionH1::begins_other_protocol(std::string_view in) {
  if (context_.protocol == nullptr || has_answered_) {
    return false;
  }
  const std::string_view preface = context_.protocol->preface();
  const bool is_agreed = stream_.seal() != nullptr &&
                         stream_.seal()->secured_by().protocol == context_.protocol->alpn_name();
  if (!preface.starts_with(in.substr(0, preface.size())) && !is_agreed) {
    return false;
  }
  if (in.size() >= preface.size() || is_agreed) {
    Takeover& takeover = begin_takeover();
    takeover.protocol = context_.protocol->take_over(takeover);
  }
  return true;
}

void ConnectionH1::inform(int status, std::string_view field_lines) {
  const Request& request = exchange_ != nullptr ? exchange_->request() : context_.request;
  if (state_ > State::waiting || request.head().minor_version == 0) {
    return;
  }
  std::string text("HTTP/1.1 ");
  text.append(std::to_string(status)).append(" ").append(reason_phrase(status)).append("\r\n");
  text.append(field_lines).append("\r\n");
  stream_.output().append(text);
}

}  // namespace eider::detail
