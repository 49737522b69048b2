#include "eider/server/detail/exchange.h"

#include <algorithm>
#include <utility>

namespace eider::detail {

namespace {

constexpr std::size_t kSpareMax = 256;
/// A larger arena is given back when its request is done.
constexpr std::size_t kKeptArenaBytesMax = 16UL * 1024;
constexpr int kInternalError = 500;

}  // namespace

void Exchange::copy(const Request& from, const Plan& plan, Peer& peer) {
  plan_ = plan;
  request_.head() = copy_head(from.head(), arena_);
  request_.set_body({});
  // They point into the head's bytes or into the request's scratch; a copy serves both.
  request_.path_values().clear();
  for (std::size_t index = 0; index < from.path_values().size(); ++index) {
    request_.path_values().push(arena_.copy(from.path_values()[index]));
  }
  request_.set_peer(&peer);
  if (plan.outlives_client) {
    address_ = peer.address();
    secured_by_ = peer.secured_by();
    request_.set_peer(this);
  }
}

bool Exchange::begin(Service& service, ExchangeOwner& owner) {
  service_ = &service;
  owner_ = &owner;
  ongoing_.cancel = cancel_source_.token();
  ongoing_.content = plan_.streams_body ? &inbox_ : nullptr;
  try {
    task_ = service.answer_later(plan_, request_, response_, ongoing_);
    if (!task_.start()) {
      task_.tell(*this);
      return false;
    }
  } catch (...) {  // no memory for the task's frame
    response_.reset();
    service.refuse(kInternalError, "The server failed to answer this request.", response_);
    return true;
  }
  fail_on_throw();
  return true;
}

void Exchange::run() {
  fail_on_throw();
  owner_->on_answered(*this);
}

void Exchange::fail_on_throw() noexcept {
  try {
    task_.take();
  } catch (...) {
    response_.reset();
    service_->refuse(kInternalError, "The server failed to answer this request.", response_);
  }
}

void Exchange::produce(ContentOwner& owner) {
  std::unique_ptr<ProducedContent> content(
      static_cast<ProducedContent*>(response_.take_content().release()));
  production_ = std::make_unique<Production>(owner, loop_, response_, std::move(content));
}

void Exchange::answer_failed(Service& service) noexcept {
  Response* response = production_->has_begun() ? nullptr : &response_;
  if (response != nullptr) {
    response->reset();
  }
  service.answer_failed(request_, response, production_->failure());
}

void Exchange::reset() noexcept {
  withdraw();
  production_.reset();
  task_ = Task<>();
  ongoing_ = Ongoing();
  cancel_source_ = CancelSource();
  response_.reset();
  inbox_.reset();
  body_.reset();
  request_.set_peer(nullptr);
  if (request_.scratch().capacity() > kKeptArenaBytesMax) {
    request_.scratch().release();  // a decoded body was there
  }
  if (arena_.capacity() > kKeptArenaBytesMax) {
    arena_.release();
  } else {
    arena_.reset();
  }
}

std::unique_ptr<Exchange> Exchanges::take() {
  if (in_use_ >= count_max_) {
    return nullptr;
  }
  ++in_use_;
  if (spare_.empty()) {
    return std::make_unique<Exchange>(loop_);
  }
  std::unique_ptr<Exchange> exchange = std::move(spare_.back());
  spare_.pop_back();
  return exchange;
}

void Exchanges::give_back(std::unique_ptr<Exchange> exchange) {
  if (!exchange->is_running()) {
    keep(std::move(exchange));
    return;
  }
  exchange->cancel();
  if (exchange->plan().outlives_client) {
    exchange->change_owner(*this);
    orphans_.push_back(std::move(exchange));
  } else {
    keep(std::move(exchange));
  }
}

void Exchanges::on_answered(Exchange& exchange) {
  const auto found = std::ranges::find(orphans_, &exchange, &std::unique_ptr<Exchange>::get);
  std::swap(*found, orphans_.back());
  keep(std::move(orphans_.back()));
  orphans_.pop_back();
}

void Exchanges::keep(std::unique_ptr<Exchange> exchange) noexcept {
  --in_use_;
  exchange->reset();
  if (spare_.size() < kSpareMax) {
    spare_.push_back(std::move(exchange));
  }
}

}  // namespace eider::detail
