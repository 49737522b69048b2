#include "eider/db/transaction.h"

namespace eider::db::detail {

Job::Outcome EndJob::call(Connection& connection) {
  // Whichever way it goes, the connection is free afterwards.
  state_->end();
  switch (way_) {
    case Way::commit:
      connection.commit();
      break;
    case Way::roll_back:
      connection.roll_back();
      break;
  }
  return Outcome::done;
}

BeginJob::BeginJob(std::shared_ptr<Pool> pool) noexcept
    : pool_(pool), state_(std::make_shared<TransactionState>()) {}

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

Job::Outcome BeginJob::call(Connection& connection) {
  connection.begin();
  has_begun_ = true;
  return Outcome::done;
}

}  // namespace eider::db::detail
