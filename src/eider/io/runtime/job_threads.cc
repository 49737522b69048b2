#include "eider/io/runtime/job_threads.h"

#include <pthread.h>

#include <new>
#include <system_error>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/signals_blocked.h"

namespace eider::detail::runtime {

ThreadJob::~ThreadJob() {
  if (holder_ != nullptr) {
    *holder_ = nullptr;
  }
}

void ThreadJob::wait(Loop& loop, std::coroutine_handle<> waiting, ThreadJob*& holder) noexcept {
  loop_ = &loop;
  waiting_ = waiting;
  holder_ = &holder;
  holder = this;
}

void ThreadJob::abandon() noexcept {
  is_abandoned_.store(true, std::memory_order_relaxed);
  waiting_.clear();
  holder_ = nullptr;
}

void ThreadJob::run() {
  if (waiting_.is_there() && executes_in_run_) {
    execute();
  }
  if (waiting_.is_there()) {
    waiting_.resume();
  }
}

JobThreads::JobThreads(const JobThreadsOptions& options, Begin begin)
    : options_(options), begin_(std::move(begin)) {
  threads_.reserve(options_.count);
  start_threads();
  if (threads_.empty() && options_.count > 0) {
    throw Failure(Error::internal(std::string(options_.component) + ": Cannot start a thread"));
  }
}

// Nothing may be thrown after the first thread was started: destroying joinable threads terminates
// the process.
void JobThreads::start_threads() {
  const SignalsBlocked blocked;
  const std::string name = std::string("eider-") + options_.component;
  try {
    while (threads_.size() < options_.count) {
      threads_.emplace_back([this] { serve(); });
      pthread_setname_np(threads_.back().native_handle(), name.c_str());
    }
  } catch (const std::system_error&) {
    // Fewer threads than requested: queued jobs wait for the existing ones.
  } catch (const std::bad_alloc&) {
    // As above.
  }
}

JobThreads::~JobThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

bool JobThreads::submit(std::unique_ptr<ThreadJob>& job) {
  const std::lock_guard lock(mutex_);
  if (options_.count == 0) {
    ++counts_.started;
    job->execute_in_run();
    Loop& loop = job->loop();
    loop.post(std::unique_ptr<Posted>(std::move(job)));
    return true;
  }
  // A thread may still count as idle although a job for it is in the queue.
  if (queue_.size() >= idle_ + options_.queue_max) {
    ++counts_.rejected;
    return false;
  }
  queue_.push_back(std::move(job));
  has_work_.notify_one();
  return true;
}

void JobThreads::abandon(ThreadJob& job) noexcept {
  const std::lock_guard lock(mutex_);
  job.abandon();
  counts_.abandoned += std::erase_if(
      queue_, [&job](const std::unique_ptr<ThreadJob>& queued) { return queued.get() == &job; });
}

JobCounts JobThreads::counts() const {
  const std::lock_guard lock(mutex_);
  JobCounts counts = counts_;
  counts.queued = queue_.size();
  return counts;
}

// Awaited jobs keep the threads alive, so the queue is empty when they stop.
std::unique_ptr<ThreadJob> JobThreads::next() {
  std::unique_lock lock(mutex_);
  ++idle_;
  has_work_.wait(lock, [this] { return !queue_.empty() || is_stopped_; });
  --idle_;
  if (is_stopped_) {
    return nullptr;
  }
  ++counts_.started;
  std::unique_ptr<ThreadJob> job = std::move(queue_.front());
  queue_.pop_front();
  return job;
}

void JobThreads::serve() {
  const Run run = begin_(is_stopped_);
  while (std::unique_ptr<ThreadJob> job = next()) {
    run(*job);
    deliver(std::move(job));
  }
}

// Under the lock, so that the loop still exists: a waiting task runs on it, and needs the lock to
// be destroyed.
void JobThreads::deliver(std::unique_ptr<ThreadJob> job) {
  const std::lock_guard lock(mutex_);
  if (job->is_awaited()) {
    Loop& loop = job->loop();
    loop.post(std::unique_ptr<Posted>(std::move(job)));
  } else {
    job.reset();
  }
}

}  // namespace eider::detail::runtime
