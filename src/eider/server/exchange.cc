#include "eider/server/exchange.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/protocols/http/method.h"
#include "eider/protocols/http/request_work.h"
#include "eider/server/observer.h"

namespace eider::detail::server {

namespace {

constexpr std::size_t kSpareMax = 256;
constexpr RequestRefusal kFailed{500, "The server failed to process this request."};

/// Sets ResponseStarted, for observers of a response that may last as long as its client stays
/// connected.
void note_response_begun(const ExchangeContext& context, Request& request) {
  if (context.service.is_observed()) {
    request.set(ResponseStarted{context.loop.now()});
  }
}

}  // namespace

void refuse_request(RequestService& service, const RequestRefusal& refusal, const RequestPlan& plan,
                    Request& request, Response& response) noexcept {
  response.reset();
  service.refuse(refusal.status, refusal.text, response);
  if (refusal.retry_after_seconds != 0) {
    response.add_header("Retry-After", std::to_string(refusal.retry_after_seconds));
  }
  service.finish(plan, request, response);
}

void Exchange::open(Request& from, const RequestPlan& plan, Transport& transport) {
  transport_ = &transport;
  plan_ = plan;
  began_ = context_.loop.now();
  slow_after_ = context_.slow_after;
  // Extensions contain data found for the request so far, so they are moved to the copy.
  request_.take_extensions(from);
  Arena& arena = request_.arena();
  request_.head() = copy_head(from.head(), arena);
  request_.set_body({});
  // Path values are views of the request's bytes or its scratch memory; copying is right for both.
  request_.path_values().clear();
  for (std::size_t index = 0; index < from.path_values().size(); ++index) {
    request_.path_values().push(arena.copy(from.path_values()[index]));
  }
  request_.set_route(from.route());
  request_.set_peer(this);
  if (plan.outlives_client) {
    address_ = transport.address();
    tls_ = transport.tls();
  }
}

// Handling.

void Exchange::serve() {
  const Call call(*this);
  if (content_.refusal()) {
    refuse_by(*content_.refusal());
    return;
  }
  if (!plan_.streams_body) {
    // A view of the body that this exchange has collected.
    request_.set_body(content_.view());
  }
  if (!plan_.waits) {
    {
      const RunningPlan::Now runs(context_.running, plan_);
      context_.service.respond(plan_, request_, response_);
    }
    deliver();
  } else if (begin_task()) {
    deliver();
  }
}

void Exchange::respond_by(Response response) {
  const Call call(*this);
  response_ = std::move(response);
  deliver();
}

void Exchange::refuse_by(const RequestRefusal& refusal) {
  refuse_request(context_.service, refusal, plan_, request_, response_);
  deliver();
}

/// Lets the state report show what the request waits for, and whose handler blocks the loop.
void Exchange::follow() {
  Work& work = work_of(request_);
  work.method = to_text(request_.method());
  work.route = request_.route();
  WorkKept::enter(&work);
}

/// Starts the task. Returns whether the response is complete.
bool Exchange::begin_task() {
  stage_ = Stage::waiting;
  const RunningPlan::Now runs(context_.running, plan_);
  const WorkKept kept;
  ongoing_.cancel = cancel_source_.token();
  ongoing_.content = plan_.streams_body ? &content_.inbox() : nullptr;
  try {
    follow();
    task_ = context_.service.respond_later(plan_, request_, response_, ongoing_);
    if (!task_.start()) {
      task_.tell(*this);
      return false;
    }
  } catch (...) {  // no memory for the task's frame
    fail();
    return true;
  }
  fail_on_throw();
  return true;
}

void Exchange::run() {
  fail_on_throw();
  if (transport_ == nullptr) {
    orphanage_->on_orphan_done(*this);
    return;
  }
  {
    const Call call(*this);
    deliver();
  }
  transport_->settle();
}

void Exchange::fail_on_throw() noexcept {
  try {
    task_.take();
  } catch (...) {
    fail();
  }
  // The response may be produced for hours, and needs no task frame of two kilobytes meanwhile.
  task_ = Task<>();
}

void Exchange::fail() noexcept {
  refuse_request(context_.service, kFailed, plan_, request_, response_);
}

void Exchange::deliver() {
  // Before the calls: `produce` begins the next stage.
  stage_ = Stage::idle;
  std::visit(ContentCases{[&](const BytesContent&) { transport_->send(response_); },
                          [&](const ContentPtr<FileContent>&) { transport_->send(response_); },
                          [&](const ContentPtr<ProducedContent>&) { produce(); },
                          [&](const ContentPtr<Upgrade>&) {
                            note_response_begun(context_, request_);
                            transport_->upgrade(response_);
                          }},
             response_.content());
}

void Exchange::produce() {
  if (opens_nothing(request_.head(), response_)) {
    refuse_by(kNoWebSocket);
    return;
  }
  // Move the content out of the response, because middleware may put a wrapper there.
  production_ = std::make_unique<Production>(
      *this, *transport_, context_.loop, context_.is_draining, request_.method(), response_,
      std::get<ContentPtr<ProducedContent>>(response_.take_content()));
  if (!production_->has_head_alone()) {
    stage_ = Stage::producing;
    const Within within(work_if_any(request_));
    production_->start();
    return;
  }
  production_->finish_head();
  if (production_->is_replaced()) {
    deliver();
  } else {
    end_production();
  }
}

void Exchange::end_production() {
  production_->begin();
  stage_ = Stage::idle;
  transport_->end(production_->trailer_lines());
}

void Exchange::send_head(std::optional<std::uint64_t> length, Follows follows) {
  note_response_begun(context_, request_);
  content_.note_response_begun();
  transport_->send_head(response_, length, follows);
}

void Exchange::on_produced() {
  {
    const Call call(*this);
    if (production_->failure()) {
      fail_production();
    } else if (production_->is_replaced()) {
      deliver();
    } else {
      end_production();
    }
  }
  transport_->settle();
}

// Bytes that were sent cannot be undone: the missing end of the body shows the failure to the
// client.
void Exchange::fail_production() {
  if (production_->has_begun()) {
    context_.service.respond_failed(request_, nullptr, production_->failure());
    stage_ = Stage::idle;
    transport_->cut();
    return;
  }
  response_.reset_to_shared();
  context_.service.respond_failed(request_, &response_, production_->failure());
  finish_head();
  deliver();
}

void Exchange::go_on() noexcept {
  if (is_producing()) {
    production_->go_on();
  }
}

void Exchange::stop_endless() {
  if (is_live()) {
    production_->stop();
  }
}

// The client, as the handler sees it.

std::string Exchange::address() const {
  return plan_.outlives_client ? address_ : transport_->address();
}

std::optional<TlsInfo> Exchange::tls() const {
  return plan_.outlives_client ? tls_ : transport_->tls();
}

// Not from other threads, and not after the headers: the text would be read as a part of the body.
void Exchange::inform(int status, std::string_view field_lines) {
  if (!plan_.outlives_client && !has_begun()) {
    transport_->inform(status, field_lines);
  }
}

// State report.

std::string_view Exchange::stage_text() const noexcept {
  if (transport_ == nullptr) {
    return "disconnected";
  }
  switch (stage_) {
    case Stage::waiting:
      return "handled";
    case Stage::producing:
      return "streaming";
    case Stage::idle:
      return content_.is_taken() ? "received" : "sent";
  }
  return {};
}

std::vector<WaitState> waits_of(const Work& work, Instant now) {
  constexpr std::size_t kWaitsMax = 8;
  constexpr std::size_t kTextBytesMax = 200;
  std::vector<WaitState> waits;
  work.waits().look_through([&](const WaitNote& note) {
    waits.push_back({.what = std::string(to_text(note.what())),
                     .text = std::string(note.text().substr(0, kTextBytesMax)),
                     .seconds = seconds_of(now - note.since())});
    return waits.size() < kWaitsMax;
  });
  return waits;
}

RequestState Exchange::state(Instant now) const {
  RequestState state{.method = std::string(to_text(request_.method())),
                     .route = std::string(request_.route()),
                     .stage = std::string(stage_text()),
                     .seconds = seconds_of(now - began_)};
  if (transport_ != nullptr || plan_.outlives_client) {
    state.peer = address();
  }
  if (const auto* const followed = request_.find<RequestWork>()) {
    state.id = followed->work->request_id();
    state.waits_for = waits_of(*followed->work, now);
  }
  if (state.waits_for.empty() && stage_ == Stage::waiting && plan_.outlives_client) {
    state.waits_for.push_back({.what = std::string(to_text(WaitNote::What::thread))});
  } else if (state.waits_for.empty() && (stage_ == Stage::idle || is_held_up())) {
    state.waits_for.push_back(
        {.what = std::string(to_text(WaitNote::What::client)),
         .text = content_.is_taken() && stage_ == Stage::idle ? "to send a body" : "to read more"});
  }
  return state;
}

// In reverse order: first the wrapper and the producer, which write to the transport and refer to
// the response; then the task, which refers to the request and its body; these last.
void Exchange::reset() noexcept {
  // A deferred end of this task must not run for the next request.
  withdraw();
  production_.reset();
  task_ = Task<>();
  transport_ = nullptr;
  orphanage_ = nullptr;
  stage_ = Stage::idle;
  ongoing_ = Ongoing();
  cancel_source_ = CancelSource();
  if (response_.body().size() > Buffer::kKeptBytesMax) {
    // Exchanged, because assigning an empty std::string does not free its memory.
    (void)std::exchange(response_, Response());
  }
  response_.reset();
  content_.reset();
  request_.set_peer(nullptr);
  // After the task and the response, which may refer to the extensions.
  request_.clear_extensions();
}

std::unique_ptr<Exchange> Exchanges::take() {
  if (in_use() >= count_max_) {
    return nullptr;
  }
  std::unique_ptr<Exchange> exchange;
  if (spare_.empty()) {
    exchange = std::make_unique<Exchange>(context_, budget_);
  } else {
    exchange = std::move(spare_.back());
    spare_.pop_back();
  }
  exchange->index_ = in_use_.size();
  in_use_.push_back(exchange.get());
  context_.numbers.set_in_flight(in_use());
  if (context_.slow_after != Duration::max() && !is_armed()) [[unlikely]] {
    arm_look();
  }
  return exchange;
}

// A blocking thread cannot be interrupted, so its request stays until it is done. It has no client
// any more; the address was copied when the request was opened.
void Exchanges::give_back(std::unique_ptr<Exchange> exchange) {
  ensure(!exchange->is_in_call_, "an exchange is not given back within its own call");
  if (exchange->is_running() && exchange->plan().outlives_client) {
    exchange->transport_ = nullptr;
    exchange->orphanage_ = this;
    exchange->cancel_source_.cancel();
    exchange->content_.abandon();
    orphans_.push_back(std::move(exchange));
    return;
  }
  if (exchange->is_running()) {
    // Blocking work that the task started continues; the token notifies it.
    exchange->cancel_source_.cancel();
  }
  keep(std::move(exchange));
}

void Exchanges::on_orphan_done(Exchange& exchange) {
  const auto found = std::ranges::find(orphans_, &exchange, &std::unique_ptr<Exchange>::get);
  std::swap(*found, orphans_.back());
  keep(std::move(orphans_.back()));
  orphans_.pop_back();
}

void Exchanges::keep(std::unique_ptr<Exchange> exchange) noexcept {
  in_use_.back()->index_ = exchange->index_;
  in_use_[exchange->index_] = in_use_.back();
  in_use_.pop_back();
  context_.numbers.set_in_flight(in_use());
  exchange->reset();
  if (spare_.size() < kSpareMax) {
    spare_.push_back(std::move(exchange));
  }
}

void Exchanges::arm_look() noexcept {
  const Duration pause = std::clamp<Duration>(
      context_.slow_after / 2, std::chrono::milliseconds(10), std::chrono::seconds(1));
  context_.loop.arm(*this, context_.loop.now() + pause);
}

void Exchanges::expire() {
  constexpr std::size_t kToldMax = 10;
  std::size_t told = 0;
  for (std::size_t index = 0; index < in_use_.size() && told < kToldMax; ++index) {
    told += tell_if_slow(*in_use_[index]) ? 1 : 0;
  }
  if (!in_use_.empty()) {
    arm_look();
  }
}

bool Exchanges::tell_if_slow(Exchange& exchange) {
  const Instant now = context_.loop.now();
  if (!exchange.is_waiting() || now - exchange.began() < exchange.slow_after_) {
    return false;
  }
  const Within within(work_if_any(exchange.request()));
  const RequestState state = exchange.state(now);
  while (now - exchange.began() >= exchange.slow_after_) {
    context_.service.observe_slow(exchange.request(), state, exchange.slow_after_);
    exchange.slow_after_ = context_.service.slow_after(exchange.slow_after_);
  }
  return true;
}

std::vector<RequestState> Exchanges::state(std::size_t count_max) const {
  std::vector<const Exchange*> oldest(std::min(count_max, in_use_.size()));
  std::ranges::partial_sort_copy(in_use_, oldest, {}, &Exchange::began, &Exchange::began);
  std::vector<RequestState> all;
  for (const Exchange* const exchange : oldest) {
    all.push_back(exchange->state(context_.loop.now()));
  }
  return all;
}

}  // namespace eider::detail::server
