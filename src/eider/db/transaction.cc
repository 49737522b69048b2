#include "eider/db/transaction.h"

namespace eider::db::detail {

Request EndJob::start() noexcept {
  // Whichever way it goes, the connection is free afterwards.
  state_->end();
  return {way_ == Way::commit ? Request::What::commit : Request::What::roll_back};
}

BeginJob::BeginJob(const std::shared_ptr<Pool>& pool, Use use) noexcept
    : pool_(pool), state_(std::make_shared<TransactionState>(use)) {}

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
