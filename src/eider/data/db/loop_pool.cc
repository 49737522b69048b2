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

RolledBackConnection::RolledBackConnection(std::unique_ptr<Connection> inner)
    : inner_(std::move(inner)) {
  inner_->begin();
}

RolledBackConnection::~RolledBackConnection() {
  inner_->roll_back();
}

std::optional<Changed> RolledBackConnection::run(std::string_view sql,
                                                 std::span<const Value> values, RowSink* rows,
                                                 const Limit& limit) {
  try {
    return inner_->run(sql, values, rows, limit);
  } catch (...) {
    stay_within();
    throw;
  }
}

void RolledBackConnection::script(std::string_view sql) {
  const bool is_alone = !has_savepoint_;
  if (is_alone) {
    begin();
  }
  try {
    inner_->script(sql);
  } catch (...) {
    stay_within();
    if (is_alone) {
      roll_back();
    }
    throw;
  }
  if (is_alone) {
    commit();
  }
}

void RolledBackConnection::begin() {
  say("savepoint eider_test");
  has_savepoint_ = true;
}

void RolledBackConnection::commit() {
  say("release savepoint eider_test");
  has_savepoint_ = false;
}

void RolledBackConnection::roll_back() noexcept {
  if (!has_savepoint_) {
    return;
  }
  has_savepoint_ = false;
  try {
    say("rollback to savepoint eider_test");
    say("release savepoint eider_test");
  } catch (...) {  // the whole transaction was lost, including the savepoint
    stay_within();
  }
}

void RolledBackConnection::say(std::string_view sql) {
  (void)inner_->run(sql, {}, nullptr, Limit());
}

/// Some failures end a transaction, such as the interruption of a writing statement in SQLite.
/// Begins a new one, so that later changes are not stored either; fails if the transaction still
/// exists.
void RolledBackConnection::stay_within() noexcept {
  try {
    inner_->begin();
  } catch (...) {  // it still exists
    return;
  }
}

}  // namespace eider::db
