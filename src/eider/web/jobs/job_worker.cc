#include "eider/web/jobs/job_worker.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>

#include "eider/app/handlers/thrown.h"
#include "eider/core/base/span.h"
#include "eider/io/runtime/backoff.h"
#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/jobs/job_active.h"

namespace eider::detail::jobs {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using How = Ending::How;

constexpr Duration kIntervalMin = milliseconds(20);
constexpr Duration kLooksEvery = milliseconds(500);
constexpr Duration kLooksApart = milliseconds(5);
constexpr Duration kIntervalWithNotices = seconds(5);
constexpr Duration kRecordedAgainAfter = milliseconds(200);
constexpr Duration kFaultPauseMax = seconds(5);
constexpr Duration kProgressEvery = seconds(1);
/// Time limit while a job runs: a transaction may have locked the row of one job, and the progress
/// of others must not wait for it.
constexpr Duration kProgressWithin = seconds(1);
constexpr Duration kHouseEvery = minutes(5);
constexpr Duration kRemovalsApart = milliseconds(20);
constexpr Duration kKnowsOthersAfter = minutes(15);
constexpr Duration kCancelledWithin = seconds(3);
constexpr std::size_t kRecordedAtOnce = 500;
/// With arguments and cursors of kArgsBytesMax, they fit into a result of the databases (64 MiB).
constexpr unsigned kClaimedAtOnce = 25;
constexpr std::int64_t kUnreadableAttempts = 5;

/// Returns whether the same statement may succeed later.
bool may_pass(db::FailureKind kind) {
  return db::status_of(kind) == 503 || kind == db::FailureKind::open ||
         kind == db::FailureKind::storage;
}

Task<> acquire(Semaphore& semaphore, Semaphore::Permit& permit) {
  permit = co_await semaphore.acquire();
}

/// Limits the transactions of handlers, because a heartbeat also needs a connection. On SQLite, it
/// waits for the writer, after at most one handler; elsewhere, two connections are left.
std::size_t transactions_max(const Database& database) {
  const std::size_t connections = database.pool()->connections_max();
  return connections > 2 ? connections - 2 : 1;
}

}  // namespace

Worker::Worker(const JobStore& store, std::vector<std::shared_ptr<Entry>> entries,
               WorkerOptions options, Say say)
    : store_(store),
      entries_(std::move(entries)),
      options_(std::move(options)),
      say_(std::move(say)),
      transactions_(transactions_max(store.database())) {
  for (const auto& [name, limits] : options_.queues) {
    queues_.push_back({.name = name, .limits = limits});
    has_cluster_limit_ = has_cluster_limit_ || limits.cluster != 0;
  }
}

Worker::~Worker() = default;

void Worker::start() {
  scope_.start(work());
  scope_.start(record_done());
  scope_.start(show_progress());
  scope_.start(keep_lease());
  scope_.start(guard_lease());
  scope_.start(watch_jobs());
  scope_.start(keep_house());
  if (!Loop::current().is_simulated()) {
    scope_.start(listen());
  }
}

void Worker::poke() noexcept {
  is_poked_ = true;
  wake_.set();
}

Task<> Worker::wait_for_wake(Duration pause) {
  (void)co_await with_deadline(wake_, pause);
}

// Looking for work.

Task<> Worker::work() {
  Duration interval = kIntervalMin;
  Duration fault_pause = kIntervalMin;
  while (!is_stopping_) {
    // Before looking for jobs: if a poke arrives meanwhile, the wait below ends at once.
    wake_.reset();
    is_poked_ = false;
    bool has_found = false;
    std::string fault;
    try {
      if (id_ == 0) {
        co_await begin_lease();
      }
      has_found = co_await take_jobs();
    } catch (...) {
      fault = reason_of(thrown_error());
    }
    if (!fault.empty()) {
      if (fault_pause == kIntervalMin) {
        say(LogLevel::error, "The database cannot be used: " + fault);
      }
      fault_pause = std::min(2 * fault_pause, kFaultPauseMax);
      co_await sleep_for(fault_pause);
      continue;
    }
    fault_pause = kIntervalMin;
    // Processes are not notified when a job of another process ends.
    const bool needs_few_looks = hears_notices_ && !has_cluster_limit_;
    Duration interval_max = needs_few_looks ? kIntervalWithNotices : options_.interval_max;
    interval_max = Loop::current().is_simulated() ? kIntervalSimulated : interval_max;
    interval = has_found ? kIntervalMin : std::min(2 * interval, interval_max);
    co_await wait_for_wake(std::min(interval, next_due_in_));
    interval = is_poked_ ? kIntervalMin : interval;
  }
  work_over_.set();
}

/// returns  whether there were jobs
Task<bool> Worker::take_jobs() {
  const std::uint64_t epoch = epoch_;
  const Instant now = Loop::current().now();
  if (std::ranges::none_of(queues_, &Queue::wants_jobs) || now - looked_ >= kLooksEvery) {
    // Each poke is a reason to look, but not several times within a moment.
    if (now - looked_ < kLooksApart) {
      co_await sleep_until(looked_ + kLooksApart);
    }
    co_await look();
  }
  bool has_found = false;
  std::exception_ptr fault;
  for (Queue& queue : queues_) {
    bool has_claimed = true;
    while (has_claimed && queue.wants_jobs() && !is_stopping_ && epoch == epoch_) {
      try {
        has_claimed = co_await claim(queue);
      } catch (const db::Failure& failure) {
        if (failure.kind() != db::FailureKind::row && queue.limits.cluster == 0) {
          throw;
        }
        // This queue has an error or is locked: other queues must not wait for it.
        fault = fault == nullptr ? std::current_exception() : fault;
        has_claimed = false;
      }
      has_found = has_found || has_claimed;
    }
  }
  if (fault != nullptr) {
    std::rethrow_exception(fault);
  }
  co_return has_found;
}

Task<> Worker::look() {
  looked_ = Loop::current().now();
  const Probe probe = co_await store_.probe();
  const bool is_due = probe.next_due && *probe.next_due <= probe.now;
  if (is_due) {
    co_await store_.stage();
  }
  std::uint64_t bit = 1;
  for (Queue& queue : queues_) {
    queue.is_ready = is_due || (static_cast<std::uint64_t>(probe.ready) & bit) != 0;
    queue.is_paused = (static_cast<std::uint64_t>(probe.paused) & bit) != 0;
    bit *= 2;
  }
  next_due_in_ = Duration::max();
  if (is_due) {
    next_due_in_ = kIntervalMin;
  } else if (probe.next_due) {
    next_due_in_ = milliseconds(std::min<std::int64_t>(*probe.next_due - probe.now, 86'400'000));
  }
}

// The lease may have ended during an earlier statement. Claimed jobs without a worker would be
// orphans, which another process would run at the same time.
Task<bool> Worker::claim(Queue& queue) {
  const std::int64_t id = id_;
  const std::uint64_t epoch = epoch_;
  if (id == 0) {
    co_return false;
  }
  const unsigned free = std::min(queue.limits.process - queue.running, kClaimedAtOnce);
  // Before the statement: its jobs are running in the database before they are in `active_`, and
  // `compare` would release them.
  is_claiming_ = true;
  ++claims_;
  std::vector<Claimed> claimed;
  try {
    claimed = co_await store_.claim(queue.name, id, free, queue.limits.cluster);
  } catch (...) {
    is_claiming_ = false;
    throw;
  }
  is_claiming_ = false;
  queue.is_ready = claimed.size() >= free;
  // A process that was frozen may read the response before its timers run.
  if (epoch != epoch_ || Loop::current().read_now() >= valid_until_) {
    co_return false;  // the jobs are orphans by now
  }
  if (is_stopping_) {
    co_await return_all(std::move(claimed));
    co_return false;
  }
  for (Claimed& job : claimed) {
    start(queue, std::move(job));
  }
  co_return !claimed.empty();
}

/// Returns the jobs of a claim that was running when the shutdown began.
Task<> Worker::return_all(std::vector<Claimed> claimed) {
  for (const Claimed& job : claimed) {
    (void)co_await store_.end({.id = job.id,
                               .fence = job.fence,
                               .how = How::released,
                               .batch = job.batch,
                               .is_attempt_returned = true});
  }
}

void Worker::start(Queue& queue, Claimed job) {
  const auto entry = std::ranges::find(entries_, job.kind, [](const std::shared_ptr<Entry>& each) {
    return std::string_view(each->options.name);
  });
  if (entry == entries_.end()) {
    return;  // cannot happen: only these `kinds` are claimed
  }
  const auto active =
      std::make_shared<Active>(store_, std::move(job), queue, **entry, is_stopping_, has_progress_);
  // Before `run`, which may end within the call: it undoes this.
  active_.emplace(active->key(), active);
  ++queue.running;
  counts_.running.fetch_add(1, std::memory_order_relaxed);
  scope_.start(run(active));
}

// Running.

WorkRef Worker::work_of(const Active& active) const {
  auto* const work = new Work;
  work->method = "job";
  work->route = active.entry.options.name;
  const auto caller = read_traceparent(active.job.trace);
  if (caller) {
    work->place = *caller;
    work->parent = caller->span;
  } else {
    work->place = {.trace_high = next_span_id(), .trace_low = next_span_id()};
    work->place.is_sampled = options_.spans != nullptr && options_.spans->samples(work->place);
  }
  work->spans = options_.spans;
  return WorkRef::to_new(work);
}

Task<> Worker::run(std::shared_ptr<Active> active) {
  Ending ending = co_await attempt(active);
  active->is_over = true;
  --active->queue.running;
  counts_.running.fetch_sub(1, std::memory_order_relaxed);
  if (active->queue.is_ready) {
    wake_.set();
  }
  if (active->why == Why::taken_over ||
      (ending.how == How::done && active->context.is_completed())) {
    counts_.done.fetch_add(active->why == Why::none ? 1 : 0, std::memory_order_relaxed);
    forget(*active);
    co_return;
  }
  if (ending.how == How::done && !ending.is_kept && ending.batch == 0) {
    // It stays in `active_` until its end is recorded: `compare` releases jobs that are not there,
    // and they would run again.
    done_.push_back(active->key());
    done_added_.set();
    co_return;
  }
  // The last values wait like the end of the job, which writes the same row. They may be in a
  // statement that fails.
  if (active->is_storing) {
    active->stored.reset();
    co_await active->stored.wait();
  }
  co_await store_progress(active, lease());
  co_await record(active, std::move(ending));
}

Task<Ending> Worker::attempt(std::shared_ptr<Active> active) {
  const Entry& entry = active->entry;
  Semaphore::Permit permit;
  if (entry.has_transaction) {
    const bool has_permit =
        co_await with_cancel(acquire(transactions_, permit), active->source.token());
    if (!has_permit) {
      co_return ending_after(*active, active->why, "");
    }
  }
  std::optional<bool> has_ended;
  std::string error;
  Ending ending = done(active->job, to_ms(entry.options.keep_done_for));
  try {
    const WorkRef work = work_of(*active);
    const Within within(work);
    Span span(entry.options.name);
    span.set("job.id", active->job.id);
    span.set("job.attempt", active->job.attempt);
    auto guarded =
        with_cancel(entry.run(entry.function.get(), entry.states.data(), active->context),
                    active->source.token());
    has_ended = co_await with_deadline(std::move(guarded), entry.options.timeout);
  } catch (const JobTakenOver&) {
    active->why = Why::taken_over;
    co_return ending;
  } catch (const JobInterrupted&) {
    co_return ending_after(*active, Why::stopping, "");
  } catch (const SnoozeJob& snooze) {
    ending.how = How::retry;
    ending.pause_ms = to_ms(snooze.delay);
    ending.is_attempt_returned = true;
    co_return ending;
  } catch (const CancelJob& cancel) {
    ending = ending_after(*active, Why::none, cancel.what());
    ending.how = How::failed;
    ending.pause_ms = to_ms(options_.failed_for);
    co_return ending;
  } catch (const UnreadableArgs& unreadable) {
    ending = ending_after(*active, Why::none,
                          std::string("The arguments do not fit the struct: ") + unreadable.what());
    if (active->job.attempt >= kUnreadableAttempts) {
      ending.how = How::failed;
      ending.pause_ms = to_ms(options_.failed_for);
    }
    co_return ending;
  } catch (...) {
    error = reason_of(thrown_error());
    co_return ending_after(*active, Why::none, error);
  }
  if (!has_ended) {
    active->source.cancel();
    co_return ending_after(*active, Why::none,
                           "The attempt took longer than its timeout of " +
                               format_duration(entry.options.timeout) + ".");
  }
  if (!*has_ended) {
    co_return ending_after(*active, active->why, "");
  }
  co_return ending;
}

/// Returns the ending of an attempt that did not succeed.
Ending Worker::ending_after(const Active& active, Why why, const std::string& error) const {
  const JobOptions& options = active.entry.options;
  Ending ending{.id = active.job.id,
                .fence = active.job.fence,
                .error = storable_text(error),
                .batch = active.job.batch};
  if (why == Why::cancelled) {
    ending.how = How::cancelled;
  } else if (why == Why::stopping) {
    ending.how = How::released;
    ending.is_attempt_returned = true;
  } else if (active.job.attempt >= active.job.attempts_max) {
    ending.how = How::failed;
    ending.pause_ms = to_ms(options_.failed_for);
  } else {
    ending.how = How::retry;
    ending.pause_ms = to_ms(runtime::with_jitter(
        runtime::pause_behind(active.job.attempt, options.first_pause, options.pause_max)));
  }
  return ending;
}

void Worker::report(const Active& active, const Ending& ending) {
  const std::string job = "Job " + std::to_string(active.job.id) + " (" + active.job.kind + ")";
  if (ending.how == How::done) {
    counts_.done.fetch_add(1, std::memory_order_relaxed);
  } else if (ending.how == How::failed) {
    counts_.failed.fetch_add(1, std::memory_order_relaxed);
    say(LogLevel::error, job + " failed finally in attempt " + std::to_string(active.job.attempt) +
                             ": " + ending.error);
  } else if (ending.how == How::retry && !ending.is_attempt_returned) {
    counts_.retried.fetch_add(1, std::memory_order_relaxed);
    say(LogLevel::warning,
        job + " failed in attempt " + std::to_string(active.job.attempt) + " of " +
            std::to_string(active.job.attempts_max) + " and runs again in " +
            format_duration(milliseconds(ending.pause_ms)) + ": " + ending.error);
  }
}

/// Records the end of a job. If the database is down, tries again while the lease is valid, because
/// a job without a recorded end runs again. If the database rejects the statement, the error text
/// may be the cause, so it is replaced.
Task<> Worker::record(std::shared_ptr<Active> active, Ending ending) {
  bool is_refused = false;
  while (active->why != Why::taken_over) {
    std::optional<bool> was_mine;
    std::string refusal;
    try {
      was_mine = co_await store_.end(ending);
    } catch (const db::Failure& failure) {
      refusal = may_pass(failure.kind()) ? "" : failure.what();
    } catch (...) {
      refusal = reason_of(thrown_error());
    }
    if (!refusal.empty() && !is_refused) {
      is_refused = true;
      say(LogLevel::error, "The end of job " + std::to_string(active->job.id) + " (" +
                               active->job.kind + ") cannot be stored: " + refusal +
                               " The error of the attempt: " + ending.error);
      ending.error = "The error of this attempt cannot be stored. It is in the log.";
    }
    if (was_mine) {
      if (*was_mine) {
        report(*active, ending);
      } else if (!active->context.is_completed()) {
        counts_.taken_over.fetch_add(1, std::memory_order_relaxed);
      }
      break;
    }
    co_await sleep_for(is_refused ? kFaultPauseMax : kRecordedAgainAfter);
  }
  forget(*active);
}

/// Records all jobs that ended during the last statement in one statement.
Task<> Worker::record_done() {
  while (true) {
    co_await done_added_.wait();
    done_added_.reset();
    while (!done_.empty()) {
      const std::size_t count = std::min(done_.size(), kRecordedAtOnce);
      const std::vector<Key> some(done_.begin(),
                                  done_.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<std::int64_t> pairs;
      for (const auto& [id, fence] : some) {
        pairs.insert(pairs.end(), {id, fence});
      }
      const std::uint64_t epoch = epoch_;
      std::optional<std::int64_t> recorded;
      try {
        recorded = co_await store_.complete(std::move(pairs));
      } catch (...) {
        recorded = std::nullopt;
      }
      if (epoch != epoch_) {
        break;  // `done_` belongs to another lease
      }
      if (!recorded) {
        co_await sleep_for(kRecordedAgainAfter);
        continue;
      }
      done_.erase(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(count));
      for (const Key& key : some) {
        if (const auto found = active_.find(key); found != active_.end()) {
          forget(*found->second);
        }
      }
      // If the response of the first attempt was lost, the second one finds fewer.
      counts_.done.fetch_add(count, std::memory_order_relaxed);
    }
  }
}

Task<> Worker::show_progress() {
  while (true) {
    co_await has_progress_.wait();
    // Before the values are taken: if a job sets one meanwhile, there is another round.
    has_progress_.reset();
    std::vector<std::shared_ptr<Active>> all;
    std::ranges::transform(active_, std::back_inserter(all),
                           &decltype(active_)::value_type::second);
    for (const std::shared_ptr<Active>& active : all) {
      co_await store_progress(active, kProgressWithin);
    }
    co_await sleep_for(kProgressEvery);
  }
}

/// If it fails, it is tried again later.
Task<> Worker::store_progress(std::shared_ptr<Active> active, Duration within) {
  auto progress = active->context.take_progress();
  if (!progress) {
    co_return;
  }
  bool is_stored = false;
  active->is_storing = true;
  try {
    auto stored = store_.show(active->job.id, active->job.fence, *progress);
    is_stored = co_await with_deadline(std::move(stored), within);
  } catch (...) {
    is_stored = false;
  }
  if (!is_stored) {
    active->context.put_back(*std::move(progress));
  }
  // After `put_back`: `run` waits for the event, and then takes the values that are left.
  active->is_storing = false;
  active->stored.set();
}

void Worker::forget(const Active& active) {
  if (active.queue.limits.cluster != 0) {  // the place in the table is free only now
    active.queue.is_ready = true;
    poke();
  }
  active_.erase(active.key());
  if (active_.empty()) {
    idle_.set();
  }
}

// Around.

Task<> Worker::listen() {
  while (const auto notices = store_.database().pool()->notices("eider_jobs")) {
    try {
      while (true) {
        co_await notices->next();
        hears_notices_ = true;
        poke();
      }
    } catch (...) {
      hears_notices_ = false;
    }
    co_await sleep_for(seconds(1));
  }
}

/// Such jobs stay available, because processes with their handler may be down for a while.
Task<> Worker::report_unknown_kinds() {
  for (const UnknownKind& unknown : co_await store_.unknown_kinds()) {
    if (reported_kinds_.insert(unknown.kind).second) {
      say(LogLevel::warning, std::to_string(unknown.count) + " jobs of the type " + unknown.kind +
                                 " wait, because no running process has a handler for it.");
    }
  }
}

Task<> Worker::keep_house() {
  std::vector<std::string> kinds;
  for (const auto& entry : entries_) {
    kinds.push_back(entry->options.name);
  }
  const Instant began = Loop::current().now();
  while (true) {
    co_await lease_begun_.wait();
    try {
      co_await store_.note_kinds(kinds);
      while (co_await store_.remove_ended()) {
        co_await sleep_for(kRemovalsApart);
      }
      if (Loop::current().now() - began >= kKnowsOthersAfter) {
        co_await report_unknown_kinds();
      }
    } catch (...) {
      hears_notices_ = hears_notices_ && !is_stopping_;  // try again at the next iteration
    }
    co_await sleep_for(Loop::current().is_simulated() ? kIntervalSimulated : kHouseEvery);
  }
}

// Ending.

Task<bool> Worker::becomes_idle(Instant until) {
  while (!active_.empty() && Loop::current().now() < until) {
    idle_.reset();
    (void)co_await with_deadline(idle_, until - Loop::current().now());
  }
  co_return active_.empty();
}

// A claim that is still running must not start jobs after the others have ended.
Task<> Worker::stop() {
  const Instant until = Loop::current().now() + options_.stop_grace;
  is_stopping_ = true;
  poke();
  (void)co_await with_deadline(work_over_, options_.stop_grace);
  const bool is_idle = co_await becomes_idle(until);
  if (!is_idle) {
    say(LogLevel::warning, std::to_string(active_.size()) +
                               " running jobs are canceled, and run again in another process.");
    for (const auto& [key, active] : active_) {
      active->cancel(Why::stopping);
    }
    (void)co_await becomes_idle(Loop::current().now() + kCancelledWithin);
  }
  scope_.cancel();
  co_await scope_.join();
  // After the last handler: without this lease, other processes run its jobs.
  if (id_ != 0) {
    try {
      co_await store_.remove_worker(std::exchange(id_, 0));
    } catch (...) {
      say(LogLevel::warning, "The lease of this worker cannot be ended; it lapses.");
    }
  }
}

}  // namespace eider::detail::jobs
