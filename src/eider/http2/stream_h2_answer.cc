// StreamH2: the answer.
#include <array>
#include <charconv>
#include <utility>

#include "eider/http2/detail/conn_h2.h"
#include "eider/server/content.h"
#include "eider/server/detail/answer.h"
#include "eider/server/upgrade.h"

namespace eider::detail {

namespace {

using Static = h2::OutField::Static;

constexpr int kOk = 200;
constexpr int kResetContent = 205;
constexpr int kRedirection = 300;
constexpr int kNotImplemented = 501;
constexpr std::size_t kDigitsMax = 20;
/// Status, server, date, type and length.
constexpr std::size_t kUsualFields = 5;

/// A number's digits, while it lives.
class Digits {
 public:
  explicit Digits(std::uint64_t number) noexcept
      : bytes_(static_cast<std::size_t>(
            std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr - text_.data())) {}
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), bytes_}; }

 private:
  std::array<char, kDigitsMax> text_{};
  std::size_t bytes_;
};

h2::OutField status_field(const Digits& digits) noexcept {
  const bool is_usual = digits.view() == "200";
  return is_usual ? h2::OutField{":status", "200", Static::both}
                  : h2::OutField{":status", digits.view(), Static::name};
}

}  // namespace

void StreamH2::serve() {
  Service& service = connection_->context().service;
  state_ = State::waiting;
  if (refusal_) {
    answer_refusal();
  } else if (plan_.waits) {
    if (exchange_ == nullptr && !make_exchange()) {
      return;  // it is ready again, to be refused
    }
    if (exchange_->begin(service, *this)) {
      answer_exchange();
    }
  } else if (exchange_ != nullptr) {
    service.answer(plan_, exchange_->request(), exchange_->response());
    answer_exchange();
  } else {
    service.answer(plan_, request_, response_);
    answer(response_);
  }
}

void StreamH2::answer_refusal() {
  end_exchange();
  response_.reset();
  connection_->context().service.refuse(refusal_->status, refusal_->text, response_);
  answer(response_);
}

void StreamH2::on_answered(Exchange&) {
  answer_exchange();
  connection_->want_turn();
}

void StreamH2::answer(Response& response) {
  auto* const upgrade = dynamic_cast<Upgrade*>(response.content());
  if (tunnel_ != nullptr && upgrade != nullptr) {
    begin_tunnel(response, *upgrade);
    return;
  }
  if (tunnel_ != nullptr) {
    refuse_tunnel(response);
  }
  if (dynamic_cast<ProducedContent*>(response.content()) != nullptr) {
    begin_production(response);
    return;
  }
  if (upgrade != nullptr) {
    // Upgrades are HTTP/1.1's (RFC 9113, section 8.6); who asked for none gets none.
    response.reset();
    connection_->context().service.refuse(kNotImplemented, "This is to be had over HTTP/1.1 alone.",
                                          response);
  }
  const auto* const file = dynamic_cast<FileContent*>(response.content());
  const std::uint64_t length = file == nullptr ? response.body().size() : file->bytes();
  const bool has_content =
      length != 0 && method() != Method::head && !is_bodiless(response.status());
  state_ = State::sending;
  watch_nothing();
  send_head(response, length, has_content ? h2::Ends::with_content : h2::Ends::with_head);
  if (has_content && file != nullptr) {
    outflow_.begin_file(*file);
  } else if (has_content) {
    outflow_.begin_memory(response.body());
    connection_->note_held(response.body().size());
  }
  if (exchange_ != nullptr) {
    connection_->add_answered(*this);
  }
}

void StreamH2::send_head(const Response& response, std::optional<std::uint64_t> length,
                         h2::Ends ends) {
  LoopContext& context = connection_->context();
  const Digits status(static_cast<std::uint64_t>(response.status()));
  const bool is_reset_content = response.status() == kResetContent;
  const bool is_empty = is_bodiless(response.status());
  const Digits digits(is_reset_content ? 0 : length.value_or(0));
  std::array<h2::OutField, kUsualFields> usual{
      {status_field(status),
       {"server", "eider", Static::both},
       {"date", context.start.at(context.loop.wall_seconds()).date(), Static::name}}};
  std::size_t count = 3;
  if (!is_empty && !response.content_type().empty()) {
    usual[count++] = {"content-type", response.content_type(), Static::name};
  }
  if (is_reset_content || (length && !is_empty)) {
    usual[count++] = {"content-length", digits.view(), Static::name};
  }
  send_fields(std::span(usual).first(count), response.field_lines(), ends);
  context.count_request();
  if (response.closes_connection()) {
    connection_->begin_shutdown();
  }
}

void StreamH2::send_fields(std::span<const h2::OutField> usual, std::string_view lines,
                           h2::Ends ends) {
  if (lines.empty()) {
    connection_->session().respond(id_, *this, usual, ends);
    return;
  }
  std::vector<h2::OutField>& fields = connection_->loop().fields;
  fields.assign(usual.begin(), usual.end());
  h2::append_lines(fields, lines);
  connection_->session().respond(id_, *this, fields, ends);
}

void StreamH2::leave_exchange() {
  Response& response = exchange_->response();
  const std::string_view rest = outflow_.rest();
  if (std::string* const owned = response.owned_body(); owned != nullptr) {
    const std::size_t sent = owned->size() - rest.size();
    response_.set_body(std::move(*owned));
    outflow_.move_to(response_.body().substr(sent));
  } else if (outflow_.is_memory()) {
    response_.set_body(std::string(rest));
    outflow_.move_to(response_.body());
  } else if (response.content() != nullptr) {
    response_.set_content(response.take_content());
  }
  end_exchange();
}

void StreamH2::end_exchange() noexcept {
  if (exchange_ != nullptr) {
    connection_->context().exchanges.give_back(std::move(exchange_));
    connection_->forget_gathered(std::exchange(gathered_bytes_, 0));
  }
}

// Another protocol.

void StreamH2::begin_tunnel(Response& response, Upgrade& upgrade) {
  state_ = State::tunnelling;
  watch_nothing();
  outflow_.begin_produced();
  response.set_status(kOk);
  send_head(response, std::nullopt, h2::Ends::with_content);
  if (exchange_ != nullptr) {
    connection_->add_answered(*this);  // ahead of what the protocol may write at once
  }
  tunnel_->begin(upgrade);
}

/// Any 2xx would tell the client that its protocol is spoken now (RFC 8441, section 5).
void StreamH2::refuse_tunnel(Response& response) {
  tunnel_.reset();
  if (response.status() < kRedirection) {
    response.reset();
    connection_->context().service.refuse(kNotImplemented, "No WebSocket is to be had here.",
                                          response);
  }
}

void StreamH2::uncork() {
  if (state_ == State::tunnelling) {
    tunnel_->uncork();
  }
}

void StreamH2::break_tunnel() {
  if (tunnel_ != nullptr) {
    tunnel_->break_off();
  }
}

void StreamH2::leave_tunnel() noexcept {
  if (state_ != State::tunnelling) {
    return;
  }
  if (tunnel_->is_end_sent()) {
    linger();
  } else {
    state_ = State::sending;
  }
}

// What is produced.

void StreamH2::begin_production(Response& response) {
  if (exchange_ == nullptr) {
    if (!make_exchange()) {
      return;
    }
    exchange_->response() = std::move(response);
  }
  exchange_->produce(*this);
  state_ = State::producing;
  if (method() == Method::head || is_bodiless(exchange_->response().status())) {
    (void)on_content_begins(*exchange_->production());
    state_ = State::sending;
    connection_->add_answered(*this);
    return;
  }
  exchange_->production()->start();
}

h1::Framing StreamH2::on_content_begins(const Production& production) {
  const Response& response = exchange_->response();
  const std::optional<std::uint64_t> length = production.content().length();
  const bool has_content = method() != Method::head && !is_bodiless(response.status());
  if (has_content) {
    outflow_.begin_produced();
  }
  send_head(response, length, has_content ? h2::Ends::with_content : h2::Ends::with_head);
  connection_->want_turn();
  return length ? h1::Framing::sized : h1::Framing::none;
}

Buffer& StreamH2::content_output() {
  connection_->add_sender(*this);
  return outflow_.produced();
}

// Not sent at once: a stream that ends meanwhile would take the producer with it that writes.
bool StreamH2::flush_content() {
  connection_->add_sender(*this);
  is_stalled_ = true;
  return false;
}

void StreamH2::note_sent_on() noexcept {
  is_stalled_ = outflow_.waiting_bytes() != 0;
  if (!is_stalled_ && state_ == State::producing && exchange_ != nullptr) {
    exchange_->production()->go_on();
  }
}

void StreamH2::on_produced(Production& production) {
  if (production.failure()) {
    exchange_->answer_failed(connection_->context().service);
    if (production.has_begun()) {
      connection_->session().reset(id_, h2::ErrorCode::internal_error);
      state_ = State::sending;
    } else {
      answer_exchange();
    }
  } else {
    production.write_end();
    trailers_ = production.trailer_lines();
    outflow_.end();
    state_ = State::sending;
    connection_->add_sender(*this);
    end_exchange();
  }
  connection_->want_turn();
}

void StreamH2::stop_endless() {
  if (state_ == State::tunnelling) {
    tunnel_->stop();
  } else if (state_ == State::producing && exchange_ != nullptr &&
             exchange_->production()->content().is_live()) {
    exchange_->production()->stop();
  }
}

h2::Ready StreamH2::ready(std::size_t bytes_max) noexcept {
  uncork();
  return outflow_.ready(bytes_max);
}

bool StreamH2::put(char* to, std::size_t bytes) noexcept {
  sent_bytes_ += bytes;
  connection_->note_sent(outflow_.is_memory() ? bytes : 0, bytes);
  const bool is_there = outflow_.put(to, bytes);
  if (is_stalled_) {
    note_sent_on();
  } else if (tunnel_ != nullptr && bytes != 0 && outflow_.waiting_bytes() == 0) {
    tunnel_->note_sent();
  }
  return is_there;
}

void StreamH2::inform(int status, std::string_view field_lines) {
  if (state_ == State::producing || state_ >= State::sending) {
    return;
  }
  std::vector<h2::OutField>& fields = connection_->loop().fields;
  const Digits digits(static_cast<std::uint64_t>(status));
  fields.clear();
  fields.push_back(status_field(digits));
  h2::append_lines(fields, field_lines);
  connection_->session().inform(id_, fields);
  connection_->want_turn();
}

}  // namespace eider::detail
