#include "eider/data/db/loop_pool.h"

namespace eider::db {
namespace {

/// Posts the job to its loop, as if it came from another thread.
void deliver(std::unique_ptr<Job> job) {
  if (job->is_awaited()) {
    Loop& loop = job->loop();
    loop.post(std::unique_ptr<Posted>(std::move(job)));
  }
}

}  // namespace

bool LoopPool::submit(std::unique_ptr<Job>& job, Lane /*lane*/) {
  jobs_.push_back(std::move(job));
  run_all();
  return true;
}

void LoopPool::abandon(Job& job) noexcept {
  job.abandon();
}

void LoopPool::on_changed(TransactionState& transaction) {
  if (&transaction == transaction_.get()) {
    run_all();
  }
}

void LoopPool::run_all() {
  while (std::unique_ptr<Job> job = next()) {
    (void)job->execute(*connection_, Duration::max() / 4);  // a writer needs no writer
    if (std::shared_ptr<TransactionState> begun = job->begun()) {
      transaction_ = std::move(begun);
    }
    deliver(std::move(job));
  }
}

/// Returns the next job: of the transaction that has the connection, or else of the queue.
std::unique_ptr<Job> LoopPool::next() {
  if (transaction_ != nullptr && transaction_->is_over()) {
    end_transaction();
  }
  if (transaction_ != nullptr) {
    return transaction_->try_next();
  }
  if (jobs_.empty()) {
    return nullptr;
  }
  std::unique_ptr<Job> job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

void LoopPool::end_transaction() {
  connection_->roll_back();
  for (std::unique_ptr<Job>& job : transaction_->close()) {
    deliver(std::move(job));
  }
  transaction_.reset();
}

}  // namespace eider::db
