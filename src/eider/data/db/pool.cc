#include "eider/data/db/pool.h"

#include "eider/data/db/failure.h"

namespace eider::db {

LoopConnection* TransactionState::carrier() const noexcept {
  const std::unique_lock lock(mutex_);
  return carrier_;
}

void TransactionState::set_carrier(LoopConnection* carrier) noexcept {
  const std::unique_lock lock(mutex_);
  carrier_ = carrier;
  home_ = carrier == nullptr ? nullptr : &Loop::current();
  thread_ = std::this_thread::get_id();
}

void TransactionState::tell_carrier() {
  std::unique_lock lock(mutex_);
  LoopConnection* const carrier = carrier_;
  if (carrier == nullptr) {
    return;
  }
  if (thread_ != std::this_thread::get_id()) {
    home_->post([state = shared_from_this()] { state->tell_carrier(); });
    return;
  }
  lock.unlock();
  carrier->on_changed();
}

bool TransactionState::submit(std::unique_ptr<Job>& job) {
  const std::unique_lock lock(mutex_);
  // The connection on its loop would resume coroutines of another loop.
  if (home_ != nullptr && home_ != &job->loop()) {
    job->refuse(Failure(FailureKind::statement,
                        "a transaction must be used on the event loop that started it"));
    return false;
  }
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
      job.refuse(Failure(FailureKind::busy, "a transaction has too many statements at once"));
      return;
    case Stage::over:
      job.refuse(Failure(FailureKind::statement, "the transaction has ended"));
      return;
    case Stage::expired:
      job.refuse(Failure(FailureKind::expired,
                         is_stream()
                             ? "the row stream was open or idle for too long"
                             : "the transaction was open for too long and has been rolled back"));
      return;
    case Stage::lost:
      job.refuse(Failure(FailureKind::lost,
                         is_stream()
                             ? "the connection was lost before the last row"
                             : "the connection was lost, and the transaction was rolled back"));
      return;
  }
}

void TransactionState::end(Stage how) noexcept {
  const std::unique_lock lock(mutex_);
  if (stage_ == Stage::open) {
    stage_ = how;
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

ResourceState resource_of(std::string name, const PoolState& state) {
  return {.kind = "database",
          .name = std::move(name),
          .numbers = {{"connections", static_cast<std::int64_t>(state.connections)},
                      {"busy", static_cast<std::int64_t>(state.busy)},
                      {"waiting", static_cast<std::int64_t>(state.waiting)}}};
}

}  // namespace eider::db
