// Threads of one component for its jobs, such as slow hashes and libraries that block for minutes.
// Layering: must not know the jobs. run_blocking is for shorter work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"

namespace eider::detail::runtime {

/// A job that is passed to a thread and back to the event loop that awaits it. It is owned by its
/// awaiter, then by the threads, then by the loop.
class ThreadJob : public Posted {
 public:
  ~ThreadJob() override;

  /// Does the work on the loop, for JobThreads without threads.
  virtual void execute() noexcept {}

  // On the event loop.

  /// `waiting` resumes when this comes back. `holder` points to this object until it is destroyed.
  void wait(Loop& loop, std::coroutine_handle<> waiting, ThreadJob*& holder) noexcept;
  /// The result is no longer awaited. Must not run concurrently with `is_awaited`; JobThreads
  /// ensures that.
  void abandon() noexcept;
  void run() final;

  // On a thread.

  [[nodiscard]] bool is_awaited() const noexcept { return waiting_.is_there(); }
  /// Becomes true when the result is no longer awaited.
  [[nodiscard]] const std::atomic<bool>& is_abandoned() const noexcept { return is_abandoned_; }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }
  /// For threads that do not exist: `run` executes the job first.
  void execute_in_run() noexcept { executes_in_run_ = true; }

 private:
  Loop* loop_ = nullptr;
  Suspended waiting_;
  ThreadJob** holder_ = nullptr;
  std::atomic<bool> is_abandoned_{false};
  bool executes_in_run_ = false;
};

/// component  the threads are called "eider-" and this
/// count      0: the calling loop runs the jobs, in a later turn: for tests
/// queue_max  maximum number of jobs that wait for a thread
struct JobThreadsOptions {
  const char* component;
  unsigned count;
  std::size_t queue_max = std::size_t{1} << 32U;
};

struct JobCounts {
  std::uint64_t started = 0;
  std::uint64_t rejected = 0;   // because too many waited
  std::uint64_t abandoned = 0;  // removed from the queue
  std::size_t queued = 0;
};

/// Thread-safe. Awaited jobs keep it alive.
class JobThreads {
 public:
  using Run = std::function<void(ThreadJob& job)>;
  /// Called at the start of each thread; returns the function that runs its jobs.
  ///
  /// is_stopped  becomes true when this object is destroyed, which waits for running jobs
  using Begin = std::function<Run(const std::atomic<bool>& is_stopped)>;

  /// If the system cannot start all threads, fewer are used. Throws a Failure if it cannot start
  /// any.
  JobThreads(const JobThreadsOptions& options, Begin begin);
  ~JobThreads();
  JobThreads(const JobThreads&) = delete;
  JobThreads& operator=(const JobThreads&) = delete;

  /// returns  false, without moving `job`, if too many wait
  [[nodiscard]] bool submit(std::unique_ptr<ThreadJob>& job);
  /// The result is no longer awaited: removes a queued job.
  void abandon(ThreadJob& job) noexcept;
  [[nodiscard]] JobCounts counts() const;

 private:
  void start_threads();
  void serve();
  [[nodiscard]] std::unique_ptr<ThreadJob> next();
  void deliver(std::unique_ptr<ThreadJob> job);

  const JobThreadsOptions options_;
  const Begin begin_;
  mutable std::mutex mutex_;
  std::condition_variable has_work_;
  std::deque<std::unique_ptr<ThreadJob>> queue_;
  JobCounts counts_;
  unsigned idle_ = 0;
  std::atomic<bool> is_stopped_{false};
  std::vector<std::thread> threads_;
};

/// `co_await` returns Job::result(), also if too many jobs wait.
template <class Job>
class JobAwaiter {
 public:
  JobAwaiter(JobThreads& threads, std::unique_ptr<Job> job) noexcept
      : threads_(threads), job_(std::move(job)) {}
  JobAwaiter(const JobAwaiter&) = delete;
  JobAwaiter& operator=(const JobAwaiter&) = delete;
  ~JobAwaiter() {
    if (submitted_ != nullptr) {
      threads_.abandon(*submitted_);
    }
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    job_->wait(Loop::current(), waiting, submitted_);
    return threads_.submit(job_);
  }
  auto await_resume() { return static_cast<Job*>(submitted_)->result(); }

 private:
  JobThreads& threads_;
  std::unique_ptr<ThreadJob> job_;  // before submission, and after a rejection
  ThreadJob* submitted_ = nullptr;  // owned by the threads, then by the resuming loop
};

}  // namespace eider::detail::runtime
