// Runs blocking work on separate threads, so that event loops do not wait.
// Layering: must not be used for operations that can be awaited: a thread is the most expensive way
// to wait.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <expected>
#include <memory>
#include <type_traits>
#include <utility>

#include "eider/core/base/work.h"
#include "eider/io/runtime/frame_pool.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/suspended.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

struct BlockingLimits {
  /// Threads are started on demand. 0 makes a pool without threads, for the simulator: the work
  /// then runs on the calling event loop, in a later turn.
  unsigned threads_max = 16;
  /// Maximum number of calls that wait for a thread; more are rejected.
  std::size_t queue_max = 1024;
  /// Load shedding: while calls wait longer than this, those that are `allow_load_shedding` are
  /// rejected; zero: they wait. See StandingQueue.
  Duration queue_time{0};
};

/// A call in a pool: executed on some thread, then run on the event loop that submitted it.
class BlockingJob : public Posted {
 public:
  explicit BlockingJob(Loop& loop) noexcept : loop_(loop) {}
  ~BlockingJob() override;

  [[nodiscard]] Loop& loop() const noexcept { return loop_; }
  /// Runs on a thread of the pool. Skipped if the waiting coroutine was destroyed.
  void execute() noexcept;
  /// Resumes the waiting coroutine, on the loop.
  void run() final;

  /// Resumes `waiting` when this has run. `holder` points here until then, and becomes null if this
  /// is destroyed before.
  void resume_when_run(std::coroutine_handle<> waiting, BlockingJob*& holder) noexcept;
  /// Notes that the waiting coroutine was destroyed, or has its result.
  void abandon() noexcept;
  /// Allows a pool with a `queue_time` to reject the call after this time.
  void refuse_when_late() noexcept { is_refused_when_late_ = true; }
  [[nodiscard]] bool is_refused_when_late() const noexcept { return is_refused_when_late_; }
  [[nodiscard]] Instant submitted() const noexcept { return submitted_; }
  void note_submitted(Instant now) noexcept { submitted_ = now; }
  /// Makes `run` execute first, in a pool without threads.
  void execute_in_run() noexcept { executes_in_run_ = true; }

 protected:
  virtual void call() noexcept = 0;

 private:
  Loop& loop_;
  detail::runtime::Suspended waiting_;
  BlockingJob** holder_ = nullptr;
  WaitNote note_;
  /// The work of the waiting coroutine, which may have been destroyed. The job runs on its behalf.
  WorkRef work_;
  std::atomic<bool> is_abandoned_{false};
  Instant submitted_;
  bool is_refused_when_late_ = false;
  bool executes_in_run_ = false;
};

/// A limited number of threads with a limited queue. Thread-safe. Belongs to the process; use it
/// through `Loop::blocking_pool`.
class BlockingPool {
 public:
  explicit BlockingPool(BlockingLimits limits = {});
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  /// Changes the limits for new work; surplus threads end after their current work. Pre:
  /// threads_max is 0 in both, or in neither.
  void set_limits(BlockingLimits limits);

  /// returns  false, with `job` unchanged, if the queue is full or the pool has stopped
  [[nodiscard]] bool submit(std::unique_ptr<BlockingJob>& job);

  /// Returns whether the threads are overloaded.
  [[nodiscard]] bool is_overloaded() const noexcept;
  /// Returns whether the next work that allows load shedding is rejected, before it is created. If
  /// so, it counts as rejected.
  [[nodiscard]] bool refuses_next();

  /// Waits for the running work, and rejects the queued work.
  /// Pre: the event loops that await it still exist.
  void stop();

  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] std::size_t queued() const;
  /// Returns the number of calls that load shedding rejected.
  [[nodiscard]] std::uint64_t refused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

namespace detail::runtime {

/// Throws the Failure that becomes a 503.
[[noreturn]] void throw_pool_busy();

template <class Work>
class BlockingCall final : public BlockingJob {
 public:
  using Value = std::invoke_result_t<Work&>;
  static_assert(!std::is_reference_v<Value>, "blocking work must return a value, not a reference");

  BlockingCall(Loop& loop, Work&& work) : BlockingJob(loop), work_(std::move(work)) {}

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* job, std::size_t bytes) noexcept { release_frame(job, bytes); }

  Value take() {
    if (outcome_.has_value()) {
      return *std::move(outcome_);
    }
    if (outcome_.error() == nullptr) {
      throw_pool_busy();
    }
    std::rethrow_exception(outcome_.error());
  }

 private:
  void call() noexcept override {
    try {
      if constexpr (std::is_void_v<Value>) {
        work_();
        outcome_.emplace();
      } else {
        outcome_ = Outcome(std::in_place, work_());
      }
    } catch (...) {
      outcome_ = std::unexpected(std::current_exception());
    }
  }

  using Outcome = std::expected<Value, std::exception_ptr>;

  Work work_;
  Outcome outcome_{std::unexpect, nullptr};  // the result if the job is never executed
};

template <class Work>
class BlockingAwaiter {
 public:
  using Call = BlockingCall<Work>;

  BlockingAwaiter(Work& work, bool is_refused_when_late) noexcept
      : work_(work), is_refused_when_late_(is_refused_when_late) {}
  BlockingAwaiter(const BlockingAwaiter&) = delete;
  BlockingAwaiter& operator=(const BlockingAwaiter&) = delete;
  ~BlockingAwaiter() {
    if (job_ != nullptr) {
      job_->abandon();
    }
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    Loop& loop = Loop::current();
    std::unique_ptr<BlockingJob> job(new Call(loop, std::move(work_)));
    job->resume_when_run(waiting, job_);
    if (is_refused_when_late_) {
      job->refuse_when_late();
    }
    // The job may be executed before `submit` returns. Its `run` is called on this thread, so never
    // before that.
    return loop.blocking_pool() != nullptr && loop.blocking_pool()->submit(job);
  }
  typename Call::Value await_resume() {
    if (job_ == nullptr) {  // rejected, and destroyed by `await_suspend`
      throw_pool_busy();
    }
    return static_cast<Call*>(job_)->take();
  }

 private:
  Work& work_;
  bool is_refused_when_late_;
  BlockingJob* job_ = nullptr;  // owned by the pool, then by the loop while it resumes this awaiter
};

}  // namespace detail::runtime

/// The result of `run_blocking`, for `co_await`, once.
template <class Work>
class [[nodiscard]] BlockingWork {
 public:
  explicit BlockingWork(Work work) : work_(std::move(work)) {}

  /// Allows load shedding for this call, as part of a request.
  BlockingWork& allow_load_shedding() noexcept {
    is_refused_when_late_ = true;
    return *this;
  }

  detail::runtime::BlockingAwaiter<Work> operator co_await() noexcept {
    return detail::runtime::BlockingAwaiter<Work>(work_, is_refused_when_late_);
  }

 private:
  Work work_;
  bool is_refused_when_late_ = false;
};

/// Runs `work` on a thread of the pool: `auto value = co_await run_blocking([&] { return
/// crunch(input); });`
///
/// work     called once; it is not interrupted if the awaiting task is destroyed meanwhile, so
///          capture values or objects that outlive the call
/// returns  the result of `work`; throws its exception
/// errors   throws a Failure with 503 and Retry-After if the queue is full, load shedding rejects
///          the call, or the pool has stopped or is missing
template <class Work>
[[nodiscard]] BlockingWork<Work> run_blocking(Work work) {
  return BlockingWork<Work>(std::move(work));
}

}  // namespace eider
