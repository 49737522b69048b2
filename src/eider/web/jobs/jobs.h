// Background jobs: stored in the database with the data they are about, run by event loops.
// Layering: must not know what jobs do, or other features that use them.
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/log.h"
#include "eider/core/base/no_dangling.h"
#include "eider/core/base/resource_probe.h"
#include "eider/core/base/type_key.h"
#include "eider/core/json/json.h"
#include "eider/core/reflect/option_text.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/web/jobs/job_admin.h"
#include "eider/web/jobs/job_context.h"
#include "eider/web/jobs/job_handler.h"
#include "eider/web/jobs/job_schedules.h"
#include "eider/web/jobs/job_store.h"

namespace eider {

class Loop;
struct JobSpans;

namespace detail::jobs {
class Worker;
struct WorkerCounts;
}  // namespace detail::jobs

/// A queue, for `JobsOptions::queues`.
///
/// name  of 1 to 50 bytes
struct JobQueue {
  std::string name;
  /// Maximum number of jobs of this queue that run at a time in one process.
  unsigned concurrency = 10;
  /// Maximum number of them that run at a time in all processes together; 0: not limited. Set the
  /// same number in all processes.
  unsigned cluster_concurrency = 0;
};

struct JobsOptions {
  /// Queues with their own concurrency. Queues of job types that are not listed have
  /// `concurrency`.
  std::vector<JobQueue> queues = {};
  unsigned concurrency = 10;
  /// Time for which the jobs of a process that was killed or is cut off from the database stay
  /// reserved for it; at least 1 s. Another process runs them after at most this time and a third
  /// of it.
  Duration lease = std::chrono::seconds(30);
  /// Maximum pause between two looks for jobs, at least 20 ms. PostgreSQL notifies workers, and
  /// needs few looks unless a queue has a `cluster_concurrency`.
  Duration interval_max = std::chrono::milliseconds(1500);
  /// Time for which failed jobs are kept for inspection.
  Duration failed_for = std::chrono::days(7);
  /// Time for running jobs to end at shutdown, at most 30 s; then they are canceled, and run again
  /// elsewhere.
  Duration stop_grace = std::chrono::seconds(10);
  /// Whether workers are notified of new jobs on PostgreSQL. Notifying transactions commit one
  /// after the other; turn it off for thousands of such transactions per second.
  bool notifies = true;
  /// Null: the log of the app.
  std::shared_ptr<LogSink> log = {};
};

/// A unique key: a number, a text, or none.
struct JobKey {
  JobKey() = default;
  template <std::integral T>
  // NOLINTNEXTLINE(google-explicit-constructor): `.unique = id`
  JobKey(T number) : text(std::to_string(number)) {}
  template <std::convertible_to<std::string_view> T>
  // NOLINTNEXTLINE(google-explicit-constructor): `.unique = "nightly"`
  JobKey(const T& its_text) : text(std::string_view(its_text)) {}

  std::string text;
};

struct EnqueueOptions {
  /// Earliest start. Default: now.
  std::optional<std::chrono::system_clock::time_point> run_at = {};
  /// Earliest start, from now by the clock of the database. Ignored if `run_at` is set.
  Duration delay = Duration::zero();
  /// If there is a job of the same type with this key that has not ended, none is added.
  JobKey unique = {};
  /// Reserves the key for at least this time from now, also after the job is done. A job that has
  /// failed or was canceled gives it up.
  Duration unique_for = Duration::zero();
  /// Default: those of the type. Processes run the queues of their types and those in
  /// JobsOptions::queues.
  std::optional<int> priority = {};
  std::string queue = {};
  /// Adds the job to a batch (JobContext::batch); 0: none.
  std::int64_t batch = 0;
};

/// id      of the new job, or of the one that has the unique key
/// is_new  whether it was added
using EnqueuedJob = detail::jobs::Inserted;

/// Counts of the worker of this process.
struct JobCounts {
  std::uint64_t done = 0;
  std::uint64_t retried = 0;
  std::uint64_t failed = 0;
  std::uint64_t taken_over = 0;
  std::int64_t running = 0;
};

/// The jobs of an app: a module, see `add_jobs`. Its tables, `eider_jobs` and others, are created
/// if necessary; several processes may share them.
///
/// A job runs at least once after the transaction that enqueued it has committed, and never if it
/// was rolled back.
class Jobs {
 public:
  static constexpr std::string_view kName = "jobs";
  static constexpr Duration kStopWithin = std::chrono::seconds(40);

  struct Settings {
    bool off = false;
    bool only = false;
    bool monitoring = false;

    static constexpr OptionText kOptions[] = {
        {"off", "Enqueue jobs, but run no jobs and schedules in this process"},
        {"only", "Run jobs and schedules, and open no HTTP address"},
        {"monitoring", "With --jobs-only, serve health checks and metrics over HTTP"}};
  };

  /// Throws a Failure for options that cannot work.
  Jobs(Database database, JobsOptions options);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Adds a job; within a transaction, it exists when that commits.
  ///
  ///     co_await jobs->enqueue(transaction, SendReminder{id}, {.run_at = starts - 24h});
  ///
  /// at      a Database, or a Transaction
  /// errors  throws a Failure: T has no handler (app.job), or has more than 1 MiB of JSON; those of
  ///         the database
  template <class T>
  [[nodiscard]] Task<EnqueuedJob> enqueue(const db::Statements& at, const T& job,
                                          EnqueueOptions options = {}) const {
    return insert(at, new_job(entry_of<T>(), json::to_text(job), options));
  }
  /// Adds many jobs in few statements. `unique`, `unique_for` and `batch` are not supported.
  template <class T>
  [[nodiscard]] Task<> enqueue_all(const db::Statements& at, const std::vector<T>& jobs,
                                   EnqueueOptions options = {}) const {
    return insert_all(at, new_job(entry_of<T>(), {}, options), texts_of(jobs));
  }
  /// Adds a batch: jobs of one type, and a job that runs after all of them have ended.
  /// JobContext::batch_failed of that has the number of those that failed.
  ///
  ///     co_await jobs->enqueue_batch(transaction, pages, PublishReport{id});
  ///
  /// at       a Transaction
  /// options  of the jobs; `unique`, `unique_for` and `batch` are not supported
  template <class T, class Then>
  [[nodiscard]] Task<EnqueuedJob> enqueue_batch(const Transaction& at, const std::vector<T>& jobs,
                                                const Then& then,
                                                EnqueueOptions options = {}) const {
    return insert_batch(at, new_job(entry_of<T>(), {}, options), texts_of(jobs),
                        new_job(entry_of<Then>(), json::to_text(then), {}));
  }

  /// Returns the arguments of all jobs of a type that have not started: for tests.
  template <class T>
  [[nodiscard]] Task<std::vector<T>> enqueued() const {
    return read_all<T>(waiting_args(entry_of<T>()));
  }

  /// Returns counts for metrics; thread-safe while the app runs.
  [[nodiscard]] JobCounts counts() const noexcept;
  /// Lists, retries and discards jobs, and pauses queues.
  [[nodiscard]] const JobAdmin& admin() const noexcept { return admin_; }
  [[nodiscard]] const Database& database() const noexcept { return store_.database(); }
  /// Removes a job that waits, and cancels one that runs, within a third of the lease.
  ///
  /// returns  false if there is no such job
  [[nodiscard]] Task<bool> cancel(const db::Statements& at, std::int64_t id) const {
    return admin_.discard(at, id);
  }
  /// The same for the job of a type that has this unique key and has not ended.
  ///
  ///     co_await jobs->cancel<SendReminder>(transaction, appointment.id);
  ///
  /// at  a Database, or a Transaction
  template <class T>
  [[nodiscard]] Task<bool> cancel(const db::Statements& at, JobKey unique) const {
    return cancel_key(at, unique_key_of(entry_of<T>(), unique));
  }

  // Called by the module.

  /// Returns what this process serves over HTTP.
  [[nodiscard]] Result<detail::app::Serves> serves() const;
  /// The health check of a process with --jobs-only: fails unless the worker has a lease, which it
  /// loses without the database.
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] Task<> start();
  [[nodiscard]] Task<> run_on_loop();
  [[nodiscard]] Task<> stop();
  /// Adds a job type; before `start_work`.
  void add(std::shared_ptr<detail::jobs::Entry> entry);
  void add(detail::jobs::Schedule schedule);
  /// Sets the concurrency of a queue, unless JobsOptions::queues has it; before `start_work`.
  void add_queue(JobQueue queue);
  /// Looks for jobs soon, for example after `admin().retry`.
  void poke() const;
  /// Starts the worker on this loop.
  void start_work();
  void log_to(std::function<void(LogLevel, std::string_view)> say) { say_ = std::move(say); }
  /// spans  read when the work starts
  void trace_to(std::shared_ptr<const JobSpans> spans) { spans_ = std::move(spans); }

  Settings settings{};

 private:
  using Entry = detail::jobs::Entry;
  using NewJob = detail::jobs::NewJob;

  template <class T>
  [[nodiscard]] const Entry& entry_of() const {
    return find(&detail::base::kTypeKey<T>, detail::base::type_name<T>());
  }
  template <class T>
  [[nodiscard]] static std::vector<std::string> texts_of(const std::vector<T>& jobs) {
    std::vector<std::string> texts;
    for (const T& job : jobs) {
      texts.push_back(json::to_text(job));
    }
    return texts;
  }
  template <class T>
  static Task<std::vector<T>> read_all(Task<std::vector<std::string>> reading) {
    std::vector<T> all;
    for (const std::string& text : co_await std::move(reading)) {
      all.push_back(value_or_throw(json::read<T>(text)));
    }
    co_return all;
  }

  [[nodiscard]] const Entry& find(detail::base::TypeKey key, std::string_view type_name) const;
  void start_schedules();
  [[nodiscard]] static NewJob new_job(const Entry& entry, std::string args,
                                      const EnqueueOptions& options);
  [[nodiscard]] static std::string unique_key_of(const Entry& entry, const JobKey& unique);
  [[nodiscard]] Task<bool> cancel_key(const db::Statements& at, std::string unique_key) const;
  [[nodiscard]] Task<EnqueuedJob> insert(const db::Statements& at, NewJob job) const;
  [[nodiscard]] Task<EnqueuedJob> insert_into_batch(const db::Statements& at, NewJob job) const;
  [[nodiscard]] Task<> insert_all(const db::Statements& at, NewJob job,
                                  std::vector<std::string> args) const;
  [[nodiscard]] Task<EnqueuedJob> insert_batch(const db::Statements& at, NewJob job,
                                               std::vector<std::string> args, NewJob then) const;
  [[nodiscard]] Task<std::vector<std::string>> waiting_args(const Entry& entry) const;

  JobsOptions options_;
  detail::jobs::JobStore store_;
  const JobAdmin admin_;
  std::map<detail::base::TypeKey, std::shared_ptr<Entry>> entries_;
  std::function<void(LogLevel, std::string_view)> say_;
  std::shared_ptr<const JobSpans> spans_;
  mutable std::mutex mutex_;  // protects `home_`
  Loop* home_ = nullptr;      // the event loop of the worker, while it runs
  mutable std::atomic<bool> is_poked_{false};
  std::vector<detail::jobs::Schedule> schedules_;
  std::unique_ptr<detail::jobs::Worker> worker_;
  std::unique_ptr<detail::jobs::Scheduler> scheduler_;
  std::optional<ResourceProbe> resource_probe_;
};

/// Adds jobs to an app. Handlers enqueue them with State<Jobs>, and `app.job` adds their handlers:
///
///     add_jobs(app, database);
///     app.job<SendReminder>([](SendReminder job, State<Outbox> outbox) -> Task<> { … });
EIDER_NO_DANGLING Jobs& add_jobs(App& app, Database database, JobsOptions options = {});

template <class T, class F>
Routes& Routes::job(F handler, JobOptions options) {
  return add(detail::jobs::make_part<T>(std::move(handler), std::move(options)));
}
template <class T, class F>
Routes& Routes::job(F handler) {
  return job<T>(std::move(handler), JobOptions());
}

template <class W>
Routes& Routes::schedule(std::string name, std::string_view expression, W what,
                         ScheduleOptions options) {
  using namespace detail::jobs;
  if constexpr (kIsHandler<W>) {
    using S = JobSignature<ScheduledRun, W, typename detail::app::LifePointer<W>::type>;
    JobOptions own = options.job;
    own.name = own.name.empty() ? "schedule " + name : std::move(own.name);
    auto entry = make_entry<ScheduledRun>(std::move(what), std::move(own));
    entry->key = entry.get();
    Schedule made = make_schedule(std::move(name), expression, std::move(options));
    made.key = entry->key;
    return add(part_of(std::move(entry), S::wishes(), std::move(made)));
  } else {
    Schedule made = make_schedule(std::move(name), expression, std::move(options));
    made.key = &detail::base::kTypeKey<W>;
    made.args = json::to_text(what);
    return add(part_of(nullptr, {}, std::move(made)));
  }
}
template <class W>
Routes& Routes::schedule(std::string name, std::string_view expression, W what) {
  return schedule(std::move(name), expression, std::move(what), ScheduleOptions());
}

}  // namespace eider
