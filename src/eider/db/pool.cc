#include "eider/db/pool.h"

#include <pthread.h>
#include <signal.h>

#include "eider/db/failure.h"

namespace eider::db {
namespace {

/// Signals are the loops' business: threads begin with all of them blocked.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

bool TransactionState::submit(std::unique_ptr<Job>& job) {
  const std::unique_lock lock(mutex_);
  if (stage_ != Stage::open || jobs_.size() >= kQueueMax) {
    refuse_by_stage(*job);
    return false;
  }
  jobs_.push_back(std::move(job));
  changed_.notify_one();
  return true;
}

void TransactionState::refuse_by_stage(Job& job) const noexcept {
  switch (stage_) {
    case Stage::open:
      job.refuse(Failure(FailureKind::busy, "too many statements of one transaction at a time"));
      return;
    case Stage::over:
      job.refuse(Failure(FailureKind::statement, "the transaction is over"));
      return;
    case Stage::expired:
      job.refuse(Failure(FailureKind::expired,
                         "the transaction was open for too long and has been rolled back"));
      return;
  }
}

void TransactionState::end() noexcept {
  const std::unique_lock lock(mutex_);
  if (stage_ == Stage::open) {
    stage_ = Stage::over;
  }
  changed_.notify_one();
}

void TransactionState::leave() noexcept {
  end();
}

std::unique_ptr<Job> TransactionState::next(Instant deadline) {
  std::unique_lock lock(mutex_);
  const bool is_told = changed_.wait_until(
      lock, deadline, [this] { return stage_ != Stage::open || !jobs_.empty(); });
  if (!is_told) {
    stage_ = Stage::expired;
  }
  return stage_ == Stage::open ? take_front() : nullptr;
}

std::unique_ptr<Job> TransactionState::try_next() {
  const std::unique_lock lock(mutex_);
  return stage_ == Stage::open && !jobs_.empty() ? take_front() : nullptr;
}

bool TransactionState::is_over() const {
  const std::unique_lock lock(mutex_);
  return stage_ != Stage::open;
}

std::unique_ptr<Job> TransactionState::take_front() {
  std::unique_ptr<Job> job = std::move(jobs_.front());
  jobs_.pop_front();
  return job;
}

std::deque<std::unique_ptr<Job>> TransactionState::close() {
  end();
  const std::unique_lock lock(mutex_);
  for (const std::unique_ptr<Job>& job : jobs_) {
    refuse_by_stage(*job);
  }
  return std::exchange(jobs_, {});
}

ThreadedPool::ThreadedPool(std::unique_ptr<Connection> writer,
                           std::vector<std::unique_ptr<Connection>> readers, PoolLimits limits)
    : limits_(limits), has_readers_(!readers.empty()) {
  const SignalsBlocked blocked;
  start(&ThreadedPool::serve_writes, std::move(writer));
  for (std::unique_ptr<Connection>& reader : readers) {
    start(&ThreadedPool::serve_reads, std::move(reader));
  }
}

ThreadedPool::~ThreadedPool() {
  {
    const std::unique_lock lock(mutex_);
    is_stopped_ = true;
  }
  reading_.has_job.notify_all();
  writing_.has_job.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ThreadedPool::start(void (ThreadedPool::*serve)(Connection&),
                         std::unique_ptr<Connection> connection) {
  threads_.emplace_back([this, serve, own = std::move(connection)] { (this->*serve)(*own); });
  pthread_setname_np(threads_.back().native_handle(), "eider-db");
}

bool ThreadedPool::submit(std::unique_ptr<Job>& job, Lane lane) {
  const std::unique_lock lock(mutex_);
  if (reading_.jobs.size() + writing_.jobs.size() >= limits_.queue_max) {
    job->refuse(Failure(FailureKind::busy, "too many statements wait for a connection"));
    return false;
  }
  Queue& queue = lane == Lane::reading && has_readers_ ? reading_ : writing_;
  queue.jobs.push_back(std::move(job));
  queue.has_job.notify_one();
  return true;
}

void ThreadedPool::abandon(Job& job) noexcept {
  const std::unique_lock lock(delivery_);
  job.abandon();
}

// The connection's thread waits on the transaction itself.
void ThreadedPool::on_changed(TransactionState& /*transaction*/) {}

// A job that is still awaited keeps the pool alive, so whatever is queued at the end is abandoned.
std::unique_ptr<Job> ThreadedPool::next(Queue& queue) {
  std::unique_lock lock(mutex_);
  queue.has_job.wait(lock, [&] { return !queue.jobs.empty() || is_stopped_; });
  if (is_stopped_) {
    return nullptr;
  }
  std::unique_ptr<Job> job = std::move(queue.jobs.front());
  queue.jobs.pop_front();
  return job;
}

void ThreadedPool::serve_reads(Connection& connection) {
  while (std::unique_ptr<Job> job = next(reading_)) {
    switch (job->execute(connection, limits_.statement_time_max)) {
      case Job::Outcome::done:
        deliver(std::move(job));
        break;
      case Job::Outcome::needs_writer:
        pass_to_writer(std::move(job));
        break;
    }
  }
}

// It was let in already, so the limit is not asked again.
void ThreadedPool::pass_to_writer(std::unique_ptr<Job> job) {
  const std::unique_lock lock(mutex_);
  writing_.jobs.push_back(std::move(job));
  writing_.has_job.notify_one();
}

void ThreadedPool::serve_writes(Connection& connection) {
  while (std::unique_ptr<Job> job = next(writing_)) {
    (void)job->execute(connection, limits_.statement_time_max);  // a writer needs no writer
    const std::shared_ptr<TransactionState> transaction = job->begun();
    deliver(std::move(job));
    if (transaction != nullptr) {
      serve_transaction(*transaction, connection);
    }
  }
}

void ThreadedPool::serve_transaction(TransactionState& transaction, Connection& connection) {
  const Instant deadline = std::chrono::steady_clock::now() + limits_.transaction_time_max;
  while (std::unique_ptr<Job> job = transaction.next(deadline)) {
    (void)job->execute(connection, limits_.statement_time_max);
    deliver(std::move(job));
  }
  connection.roll_back();
  for (std::unique_ptr<Job>& job : transaction.close()) {
    deliver(std::move(job));
  }
}

void ThreadedPool::deliver(std::unique_ptr<Job> job) {
  std::unique_lock lock(delivery_);
  if (job->is_awaited()) {
    Loop& loop = job->loop();
    loop.post(std::unique_ptr<Posted>(std::move(job)));
  } else {
    lock.unlock();  // what the result holds may take long to go
    job.reset();
  }
}

}  // namespace eider::db
