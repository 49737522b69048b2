#include "eider/db/transaction.h"

#include <chrono>

#include "eider/runtime/backoff.h"

namespace eider::db::detail {
namespace {

using namespace std::chrono_literals;

}  // namespace

bool may_be_tried_again(FailureKind kind) noexcept {
  return kind == FailureKind::serialisation || kind == FailureKind::deadlock;
}

Duration pause_behind_try(unsigned tries) {
  return eider::detail::runtime::with_jitter(
      eider::detail::runtime::pause_behind(tries, 10ms, 500ms));
}

Request EndJob::start() noexcept {
  // Whichever way it goes, the connection is free afterwards.
  state_->end();
  return {way_ == Way::commit ? Request::What::commit : Request::What::roll_back};
}

BeginJob::BeginJob(const std::shared_ptr<Pool>& pool, Use use, Isolation isolation) noexcept
    : pool_(pool), state_(std::make_shared<TransactionState>(use)), isolation_(isolation) {}

BeginJob::~BeginJob() {
  if (!is_taken_) {
    state_->leave();  // its pool finds out by itself: a thread waits on it, or the next job asks
  }
}

Transaction BeginJob::take() {
  rethrow();
  is_taken_ = true;
  return Transaction(Route(pool_.lock(), state_));
}

}  // namespace eider::db::detail
