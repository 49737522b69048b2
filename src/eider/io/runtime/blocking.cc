#include "eider/io/runtime/blocking.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/processors.h"
#include "eider/io/runtime/signals_blocked.h"
#include "eider/io/runtime/standing_queue.h"

namespace eider {

BlockingJob::~BlockingJob() {
  // A rejected job is destroyed before it runs; its awaiter must not use it any more.
  if (holder_ != nullptr) {
    *holder_ = nullptr;
  }
}

void BlockingJob::resume_when_run(std::coroutine_handle<> waiting, BlockingJob*& holder) noexcept {
  waiting_ = waiting;
  work_ = WorkRef(Work::current());
  note_.begin(WaitNote::What::thread, {}, loop_.now());
  holder_ = &holder;
  holder = this;
}

void BlockingJob::execute() noexcept {
  if (!is_abandoned_.load(std::memory_order_acquire)) {
    const Within within(work_);
    // The coroutine may be destroyed right after this check, so the work must own all data that it
    // uses.
    call();
  }
}

void BlockingJob::run() {
  if (executes_in_run_) {
    execute();
  }
  if (waiting_.is_there()) {
    note_.end();
    // Resuming may destroy the coroutine, which calls `abandon` on this; use nothing afterwards.
    waiting_.resume();
  }
}

void BlockingJob::abandon() noexcept {
  waiting_.clear();
  note_.end();
  holder_ = nullptr;
  is_abandoned_.store(true, std::memory_order_release);
}

void detail::runtime::throw_pool_busy() {
  throw Failure(Error::unavailable("The server is busy. Try again in a moment.")
                    .with_header("Retry-After", "1"));
}

namespace {

void join_all(std::vector<std::thread>& threads) {
  for (std::thread& thread : threads) {
    thread.join();
  }
  threads.clear();
}

/// Returns how often the calling thread has waited for anything.
[[nodiscard]] long waits_so_far() noexcept {
  rusage used{};
  (void)::getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

/// A job that is running, and whether another one may start in addition: if it waits, because its
/// thread then uses no processor, or if it computes for so long that short jobs would wait for its
/// end.
class Executed {
 public:
  /// Created on the thread that runs the job.
  Executed() noexcept { (void)::pthread_getcpuclockid(::pthread_self(), &clock_); }

  /// Uses the processor time of the thread since the first and the last check, not elapsed time,
  /// because short jobs take long on a busy processor.
  void look(Instant now) noexcept {
    if (now - looked_at_ < kLookAfter) {
      return;
    }
    const Duration so_far = used();
    if (looked_at_ == Instant()) {
      first_ = so_far;
    } else {
      const bool waits = so_far - last_ < (now - looked_at_) / kUsedMin;
      leaves_room_ = waits || so_far - first_ >= kLong;
    }
    last_ = so_far;
    looked_at_ = now;
  }
  [[nodiscard]] bool leaves_room() const noexcept { return leaves_room_; }

  static constexpr Duration kLookAfter = std::chrono::milliseconds(4);

 private:
  static constexpr Duration kLong = std::chrono::milliseconds(10);
  static constexpr int kUsedMin = 8;  // this fraction of the time

  [[nodiscard]] Duration used() const noexcept {
    timespec time{};
    (void)::clock_gettime(clock_, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  clockid_t clock_ = 0;
  Instant looked_at_;
  Duration first_{0};
  Duration last_{0};
  bool leaves_room_ = false;
};

/// Whether jobs mostly compute without waiting, according to recent jobs.
class Computing {
 public:
  void note(bool has_waited) noexcept { waited_ += ((has_waited ? 1.0 : 0.0) - waited_) / kJobs; }
  [[nodiscard]] bool is_likely() const noexcept { return waited_ < kWaitedMax; }

 private:
  static constexpr double kJobs = 32;
  static constexpr double kWaitedMax = 0.05;
  double waited_ = 1;  // the share of jobs that have waited
};

}  // namespace

struct BlockingPool::State {
  using Job = std::unique_ptr<BlockingJob>;

  explicit State(BlockingLimits its_limits) : limits(its_limits), waiting(its_limits.queue_time) {}

  void work();
  [[nodiscard]] bool is_too_late(const BlockingJob& job) noexcept;
  void start_thread();
  [[nodiscard]] bool may_begin() const noexcept;
  void wake_another() noexcept;
  void look() noexcept;
  [[nodiscard]] bool would_be_late(Instant now) noexcept;
  void tell_overloaded() noexcept;
  void execute(BlockingJob& job, std::unique_lock<std::mutex>& lock) noexcept;
  [[nodiscard]] bool is_one_too_many() const noexcept {
    return threads.size() > limits.threads_max;
  }
  void leave();
  static void give_back(Job job) noexcept;

  BlockingLimits limits;
  mutable std::mutex mutex;
  std::condition_variable has_work;
  std::deque<Job> queue;
  std::vector<std::thread> threads;
  std::vector<std::thread> left;  // surplus threads that have ended; they no longer need the lock
  std::size_t idle = 0;
  StandingQueue waiting;
  std::atomic<bool> is_overloaded = false;  // the state of `waiting`, readable without the lock
  // Used while the pool is overloaded.
  Computing computing;
  std::vector<Executed*> executing;
  const std::ptrdiff_t processors = std::ssize(detail::runtime::usable_processors());
  std::uint64_t refused = 0;
  bool is_stopped = false;
};

void BlockingPool::State::give_back(Job job) noexcept {
  Loop& loop = job->loop();
  loop.post(std::unique_ptr<Posted>(std::move(job)));
  // The job runs and is destroyed on its loop, where the coroutine lives.
}

void BlockingPool::State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    const auto has_cause = [this] { return may_begin() || is_stopped || is_one_too_many(); };
    while (!has_cause()) {
      if (waiting.is_standing()) {  // no notification tells when a running job begins to wait
        has_work.wait_for(lock, Executed::kLookAfter);
        look();
      } else {
        has_work.wait(lock);
      }
    }
    // `idle` counts threads that run no job, including those that were just started.
    --idle;
    if (is_stopped) {
      return;
    }
    if (is_one_too_many()) {
      leave();
      return;
    }
    Job job = std::move(queue.front());
    queue.pop_front();
    if (is_too_late(*job)) {
      ++refused;
      lock.unlock();
    } else {
      execute(*job, lock);
    }
    give_back(std::move(job));
    lock.lock();
    ++idle;
  }
}

// The lock is released while the work runs, so that other threads can take jobs.
void BlockingPool::State::execute(BlockingJob& job, std::unique_lock<std::mutex>& lock) noexcept {
  const bool is_looked_at = waiting.is_standing();
  Executed executed;
  executing.push_back(&executed);
  if (is_looked_at) {
    executed.look(std::chrono::steady_clock::now());
    wake_another();
  }
  lock.unlock();
  const long waits = is_looked_at ? waits_so_far() : 0;
  job.execute();
  const bool has_waited = is_looked_at && waits_so_far() != waits;
  lock.lock();
  std::erase(executing, &executed);
  if (is_looked_at) {
    computing.note(has_waited);
  }
  lock.unlock();
}

// Returns whether there is a job and a thread for it. In an overload, jobs that compute get only as
// many threads as there are processors: more threads would make each job slower. Pre: locked.
bool BlockingPool::State::may_begin() const noexcept {
  if (queue.empty()) {
    return false;
  }
  return !waiting.is_standing() || !computing.is_likely() ||
         std::ranges::count(executing, false, &Executed::leaves_room) < processors;
}

// Called by an idle thread while the queue makes no progress. Pre: locked.
void BlockingPool::State::look() noexcept {
  const Instant now = std::chrono::steady_clock::now();
  for (Executed* const each : executing) {
    each->look(now);
  }
  if (waiting.is_standing() && queue.empty()) {
    // The overload ends only in a call of StandingQueue, and there may be no further job.
    (void)waiting.refuses(Duration::zero(), 0, now);
    tell_overloaded();
  }
}

// Pre: locked.
void BlockingPool::State::tell_overloaded() noexcept {
  if (is_overloaded.load(std::memory_order_relaxed) != waiting.is_standing()) {
    is_overloaded.store(waiting.is_standing(), std::memory_order_relaxed);
  }
}

// Pre: locked.
void BlockingPool::State::wake_another() noexcept {
  if (may_begin()) {
    has_work.notify_one();
  }
}

// Called by a thread that then ends. Pre: locked.
void BlockingPool::State::leave() {
  const auto own = std::ranges::find(threads, std::this_thread::get_id(), &std::thread::get_id);
  left.push_back(std::move(*own));
  threads.erase(own);
  has_work.notify_one();  // it may have been woken for work that another thread must do now
}

// Its client may have given up, and jobs after it wait less if it is rejected. Pre: locked.
bool BlockingPool::State::is_too_late(const BlockingJob& job) noexcept {
  if (limits.queue_time == Duration::zero()) {
    return false;
  }
  const Instant now = std::chrono::steady_clock::now();
  const Duration waited = now - job.submitted();
  waiting.note(waited, queue.size(), now);
  const bool is_refused = waiting.is_standing() && job.is_refused_when_late() &&
                          waiting.refuses(waited, queue.size(), now);
  tell_overloaded();
  return is_refused;
}

// Returns whether to reject a new job immediately, which is cheaper than queueing it: it would wait
// longer than the first job in the queue has. Pre: locked.
bool BlockingPool::State::would_be_late(Instant now) noexcept {
  if (!waiting.is_standing() || queue.empty()) {
    return false;
  }
  const bool is_late = waiting.refuses(now - queue.front()->submitted(), queue.size(), now);
  tell_overloaded();
  refused += is_late ? 1 : 0;
  return is_late;
}

// Pre: locked.
void BlockingPool::State::start_thread() {
  const SignalsBlocked blocked;
  join_all(left);
  executing.reserve(threads.size() + 1);
  try {
    threads.emplace_back([this] {
      detail::runtime::run_on_all();  // its creator may be pinned to a processor
      work();
    });
    ++idle;
  } catch (const std::system_error&) {
    // There are fewer threads than allowed: queued jobs wait for the existing ones.
  }
}

BlockingPool::BlockingPool(BlockingLimits limits) : state_(std::make_unique<State>(limits)) {}

BlockingPool::~BlockingPool() {
  stop();
}

void BlockingPool::set_limits(BlockingLimits limits) {
  const std::unique_lock lock(state_->mutex);
  if (limits.queue_time != state_->limits.queue_time) {
    state_->waiting = StandingQueue(limits.queue_time);
    state_->tell_overloaded();
  }
  state_->limits = limits;
  state_->has_work.notify_all();
}

bool BlockingPool::submit(std::unique_ptr<BlockingJob>& job) {
  // Even if nothing is rejected yet: that may change before the job's turn.
  job->note_submitted(std::chrono::steady_clock::now());
  const std::unique_lock lock(state_->mutex);
  if (state_->is_stopped) {
    return false;
  }
  if (state_->limits.threads_max == 0) {
    job->execute_in_run();
    State::give_back(std::move(job));
    return true;
  }
  // If as many jobs wait as there are idle threads, this job would have to wait for one of them.
  const bool wants_thread = state_->queue.size() >= state_->idle;
  if (wants_thread && state_->threads.size() < state_->limits.threads_max) {
    state_->start_thread();
  }
  const bool is_full = state_->queue.size() >= state_->idle + state_->limits.queue_max;
  const bool is_late = job->is_refused_when_late() && state_->would_be_late(job->submitted());
  const bool is_taken = !is_late && !is_full && !state_->threads.empty();
  if (is_taken) {
    state_->queue.push_back(std::move(job));
  }
  state_->wake_another();
  return is_taken;
}

bool BlockingPool::is_overloaded() const noexcept {
  return state_->is_overloaded.load(std::memory_order_relaxed);
}

bool BlockingPool::refuses_next() {
  const std::unique_lock lock(state_->mutex);
  return state_->would_be_late(std::chrono::steady_clock::now());
}

void BlockingPool::stop() {
  std::deque<State::Job> undone;
  std::vector<std::thread> threads;
  {
    // No job is accepted from now on. Release the lock before the join, because the threads need it
    // to end.
    const std::unique_lock lock(state_->mutex);
    state_->is_stopped = true;
    undone.swap(state_->queue);
    threads.swap(state_->threads);
    join_all(state_->left);
  }
  state_->has_work.notify_all();
  // The threads return their running jobs, so each job ends on its loop.
  join_all(threads);
  for (State::Job& job : undone) {
    State::give_back(std::move(job));
  }
}

unsigned BlockingPool::threads() const {
  const std::unique_lock lock(state_->mutex);
  return static_cast<unsigned>(state_->threads.size());
}

std::size_t BlockingPool::queued() const {
  const std::unique_lock lock(state_->mutex);
  return state_->queue.size();
}

std::uint64_t BlockingPool::refused() const {
  const std::unique_lock lock(state_->mutex);
  return state_->refused;
}

}  // namespace eider
