#include "eider/web/jobs/jobs.h"

#include <algorithm>
#include <exception>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/sha256.h"
#include "eider/core/base/span.h"
#include "eider/core/base/work.h"
#include "eider/io/runtime/loop.h"
#include "eider/web/jobs/job_worker.h"

namespace eider {

namespace detail::jobs {

namespace {

constexpr std::size_t kNameBytesMax = 100;
constexpr std::size_t kQueueBytesMax = 50;
constexpr std::size_t kKeyBytesMax = 150;

[[noreturn]] void refuse(std::string text) {
  throw Failure(Error::internal("jobs: " + std::move(text)));
}

/// The data of the part of a job type or schedule.
struct Binding {
  std::shared_ptr<Entry> entry;
  std::size_t states = 0;
  std::optional<Schedule> schedule{};
};

// The first state is the Jobs of the app.
Task<> bind(const void* function, void* const* states) {
  const auto& binding = *static_cast<const Binding*>(function);
  Jobs& jobs = *static_cast<Jobs*>(states[0]);
  if (binding.entry != nullptr) {
    binding.entry->states.assign(states + 1, states + 1 + binding.states);
    jobs.add(binding.entry);
  }
  if (binding.schedule) {
    jobs.add(*binding.schedule);
  }
  co_return;
}

void check_args(const std::string& kind, const std::string& args) {
  if (args.size() > kArgsBytesMax) {
    refuse("The arguments of a job of the type " + kind + " have " + std::to_string(args.size()) +
           " bytes of JSON; at most 1 MiB is allowed. Store large data elsewhere, and enqueue its "
           "id.");
  }
}

std::string text_of_work() {
  const Work* const work = Work::current();
  return work == nullptr || !work->place.is_there() ? "" : traceparent_text(work->place);
}

}  // namespace

std::string short_name(std::string_view type_name) {
  const std::string_view before_arguments = type_name.substr(0, type_name.find('<'));
  const std::size_t colons = before_arguments.rfind("::");
  return std::string(colons == std::string_view::npos ? type_name : type_name.substr(colons + 2));
}

std::string unreadable_text(const Error& error) {
  std::string text;
  for (const FieldError& field : error.fields()) {
    text.append(text.empty() ? "" : "; ").append(field.pointer).append(" ").append(field.detail);
  }
  return text.empty() ? Failure(error).what() : text;
}

namespace {

/// The numbers of a smallint.
void check_priority(const std::string& kind, std::int64_t priority) {
  if (priority < -32768 || priority > 32767) {
    refuse("A priority of the job type " + kind + " is " + std::to_string(priority) +
           ". Use a number from -32768 to 32767.");
  }
}

}  // namespace

void check(const JobOptions& options) {
  const std::string job = "The job type " + options.name;
  if (options.name.empty() || options.name.size() > kNameBytesMax) {
    refuse(job + " needs a name of 1 to 100 bytes. Set JobOptions::name.");
  }
  if (options.queue.empty() || options.queue.size() > kQueueBytesMax) {
    refuse(job + " needs a queue with a name of 1 to 50 bytes.");
  }
  if (options.attempts == 0 || options.timeout < std::chrono::milliseconds(1) ||
      options.first_pause < Duration::zero() || options.pause_max < Duration::zero()) {
    refuse(job + " needs at least 1 attempt, a timeout of at least 1 ms, and no negative pauses.");
  }
  check_priority(options.name, options.priority);
}

namespace {

app::Part part_of(std::string name, Binding binding, const std::vector<StateWish>& wishes) {
  app::Part part{.name = std::move(name)};
  part.start.function = std::make_shared<const Binding>(std::move(binding));
  part.start.run = &bind;
  part.start.wishes = {{&base::kTypeKey<Jobs>, base::type_name<Jobs>()}};
  part.start.wishes.insert(part.start.wishes.end(), wishes.begin(), wishes.end());
  return part;
}

}  // namespace

app::Part part_of(std::shared_ptr<Entry> entry, std::vector<StateWish> wishes) {
  std::string name = "job " + entry->options.name;
  return part_of(std::move(name), {std::move(entry), wishes.size()}, wishes);
}

app::Part part_of(std::shared_ptr<Entry> entry, std::vector<StateWish> wishes, Schedule schedule) {
  std::string name = "schedule " + schedule.name;
  return part_of(std::move(name), {std::move(entry), wishes.size(), std::move(schedule)}, wishes);
}

}  // namespace detail::jobs

namespace {

using detail::jobs::Worker;
using detail::jobs::WorkerOptions;

JobsOptions checked(JobsOptions options) {
  using std::chrono::seconds;
  if (options.lease < seconds(1) || options.interval_max < std::chrono::milliseconds(20)) {
    detail::jobs::refuse("The lease must be at least 1 s, and interval_max at least 20 ms.");
  }
  if (options.stop_grace > seconds(30) || options.concurrency == 0) {
    detail::jobs::refuse("stop_grace must be at most 30 s, and concurrency at least 1.");
  }
  for (const JobQueue& queue : options.queues) {
    if (queue.name.empty() || queue.name.size() > detail::jobs::kQueueBytesMax ||
        queue.concurrency == 0) {
      detail::jobs::refuse("The queue \"" + queue.name +
                           "\" needs a name of 1 to 50 bytes and a concurrency of at least 1.");
    }
  }
  return options;
}

}  // namespace

Jobs::Jobs(Database database, JobsOptions options)
    : options_(checked(std::move(options))), store_(database), admin_(database) {
  const auto log = options_.log == nullptr ? stderr_log() : options_.log;
  say_ = [log](LogLevel level, std::string_view line) { log->write(level, line); };
}

Jobs::~Jobs() = default;

// Life.

Result<detail::app::Serves> Jobs::serves() const {
  if (settings.off && settings.only) {
    return fail(Error::bad_request(
        "--no-jobs and --jobs-only contradict each other: the process would do nothing. Remove "
        "one of them"));
  }
  if (settings.monitoring && !settings.only) {
    return fail(Error::bad_request(
        "--jobs-monitoring requires --jobs-only. Add --jobs-only, or remove --jobs-monitoring"));
  }
  using detail::app::Serves;
  if (!settings.only) {
    return Serves::everything;
  }
  return settings.monitoring ? Serves::monitoring : Serves::nothing;
}

Result<void> Jobs::check() const {
  if (!settings.only || (worker_ != nullptr && worker_->counts().has_lease)) {
    return {};
  }
  return fail(Error::unavailable("the worker has no lease, because it cannot reach the database"));
}

Task<> Jobs::start() {
  co_await store_.create();
  const std::lock_guard lock(mutex_);
  home_ = home_ == nullptr ? &Loop::current() : home_;
}

// When an app starts again, it adds the same entries and schedules.
void Jobs::add(std::shared_ptr<Entry> entry) {
  for (const auto& [key, other] : entries_) {
    if (key == entry->key && other != entry) {
      detail::jobs::refuse("The job type " + entry->options.name +
                           " has two handlers. Remove one of them.");
    }
    if (key != entry->key && other->options.name == entry->options.name) {
      detail::jobs::refuse("Two job types are named " + entry->options.name +
                           ". Set JobOptions::name of one of them.");
    }
  }
  entries_.insert_or_assign(entry->key, std::move(entry));
}

void Jobs::add(detail::jobs::Schedule schedule) {
  const auto other = std::ranges::find(schedules_, schedule.name, &detail::jobs::Schedule::name);
  if (other == schedules_.end()) {
    schedules_.push_back(std::move(schedule));
  } else if (other->key != schedule.key || other->args != schedule.args ||
             other->expression != schedule.expression) {
    detail::jobs::refuse("Two schedules are named " + schedule.name + ". Rename one of them.");
  }
}

void Jobs::add_queue(JobQueue queue) {
  if (std::ranges::find(options_.queues, queue.name, &JobQueue::name) == options_.queues.end()) {
    options_.queues.push_back(std::move(queue));
  }
}

// All parts have started by now, so that all types are known.
Task<> Jobs::run_on_loop() {
  if (!settings.off && home_ == &Loop::current() && worker_ == nullptr) {
    start_work();
  }
  co_return;
}

void Jobs::start_work() {
  WorkerOptions options{.queues = {},
                        .lease = options_.lease,
                        .interval_max = options_.interval_max,
                        .failed_for = options_.failed_for,
                        .stop_grace = options_.stop_grace,
                        .spans = spans_ == nullptr ? nullptr : spans_->sink};
  std::vector<std::shared_ptr<Entry>> entries;
  std::vector<std::string> kinds;
  for (const auto& [key, entry] : entries_) {
    options.queues.try_emplace(entry->options.queue,
                               detail::jobs::QueueLimits{options_.concurrency});
    kinds.push_back(entry->options.name);
    entries.push_back(entry);
  }
  for (const JobQueue& queue : options_.queues) {
    options.queues.insert_or_assign(
        queue.name, detail::jobs::QueueLimits{queue.concurrency, queue.cluster_concurrency});
  }
  if (options.queues.size() > detail::jobs::kQueuesMax) {
    detail::jobs::refuse("A process can have at most 62 queues.");
  }
  std::vector<std::string> queues;
  for (const auto& [name, limits] : options.queues) {
    queues.push_back(name);
  }
  store_.set_work(queues, kinds);
  worker_ = std::make_unique<Worker>(store_, std::move(entries), std::move(options), say_);
  worker_->start();
  start_schedules();
  resource_probe_.emplace([this] {
    const JobCounts counts = this->counts();
    return ResourceState{.kind = "jobs",
                         .name = "jobs",
                         .numbers = {{"running", counts.running},
                                     {"done", static_cast<std::int64_t>(counts.done)},
                                     {"retried", static_cast<std::int64_t>(counts.retried)},
                                     {"failed", static_cast<std::int64_t>(counts.failed)}}};
  });
}

JobCounts Jobs::counts() const noexcept {
  if (worker_ == nullptr) {
    return {};
  }
  const detail::jobs::WorkerCounts& counts = worker_->counts();
  return {counts.done, counts.retried, counts.failed, counts.taken_over, counts.running};
}

// Without schedules, too: it deletes those that were removed from the program.
void Jobs::start_schedules() {
  for (const auto& schedule : schedules_) {
    (void)find(schedule.key, "of the schedule " + schedule.name);
  }
  scheduler_ = std::make_unique<detail::jobs::Scheduler>(
      store_, schedules_, options_.notifies,
      [this](detail::base::TypeKey key, std::string args) {
        return new_job(find(key, "of a schedule"), std::move(args), {});
      },
      [this] { poke(); }, say_);
  scheduler_->start();
}

// A test may start an app on several loops: the worker is on the first.
Task<> Jobs::stop() {
  if (home_ != &Loop::current()) {
    co_return;
  }
  resource_probe_.reset();  // because it reads the worker
  if (scheduler_ != nullptr) {
    co_await scheduler_->stop();
    scheduler_.reset();
  }
  if (worker_ != nullptr) {
    co_await worker_->stop();
  }
  const std::lock_guard lock(mutex_);
  home_ = nullptr;
  worker_.reset();
}

/// Wakes the worker of this process: those of others are notified, or poll.
void Jobs::poke() const {
  if (is_poked_.exchange(true, std::memory_order_relaxed)) {
    return;
  }
  const std::lock_guard lock(mutex_);
  if (home_ == nullptr) {
    is_poked_.store(false, std::memory_order_relaxed);
    return;
  }
  home_->post([this] {
    is_poked_.store(false, std::memory_order_relaxed);
    if (worker_ != nullptr) {
      worker_->poke();
    }
  });
}

// Enqueueing.

const detail::jobs::Entry& Jobs::find(detail::base::TypeKey key, std::string_view type_name) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    const std::string name(type_name);
    detail::jobs::refuse("There is no handler for the job type " + name + ". Call app.job<" + name +
                         ">(…).");
  }
  return *found->second;
}

/// MariaDB ignores spaces at the end, so "ada " would be the same key as "ada".
std::string Jobs::unique_key_of(const Entry& entry, const JobKey& unique) {
  const std::string& key = unique.text;
  const bool needs_digest = key.size() > detail::jobs::kKeyBytesMax || key.ends_with(' ');
  return entry.options.name + ":" + (needs_digest ? to_hex(to_view(sha256(key))) : key);
}

Task<bool> Jobs::cancel_key(const db::Statements& at, std::string unique_key) const {
  // A transaction may see an older job with this key, which another process has replaced since.
  constexpr int kAttemptsMax = 3;
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    const auto id = co_await at.one<std::int64_t>(
        store_.sql("select id from eider_jobs where unique_key = $1 and state <> 'done'{lock}"),
        unique_key);
    if (!id) {
      co_return false;
    }
    const bool was_there = co_await admin_.discard(at, *id);
    if (was_there) {
      co_return true;
    }
  }
  co_return false;
}

Jobs::NewJob Jobs::new_job(const Entry& entry, std::string args, const EnqueueOptions& options) {
  using std::chrono::milliseconds;
  const JobOptions& defaults = entry.options;
  NewJob job{.kind = defaults.name,
             .queue = options.queue.empty() ? defaults.queue : options.queue,
             .args = std::move(args),
             .trace = detail::jobs::text_of_work(),
             .unique_ms = detail::jobs::to_ms(options.unique_for),
             .priority = options.priority.value_or(defaults.priority),
             .attempts_max = defaults.attempts,
             .batch = options.batch};
  detail::jobs::check_args(job.kind, job.args);
  detail::jobs::check_priority(job.kind, job.priority);
  if (job.queue.size() > detail::jobs::kQueueBytesMax) {
    detail::jobs::refuse("The queue " + job.queue + " has a name of more than 50 bytes.");
  }
  if (!options.unique.text.empty()) {
    job.unique_key = unique_key_of(entry, options.unique);
  }
  if (options.run_at) {
    job.is_scheduled = true;
    job.due_ms = std::chrono::ceil<milliseconds>(options.run_at->time_since_epoch()).count();
  } else if (options.delay > Duration::zero()) {
    job.is_scheduled = true;
    job.is_delay = true;
    job.due_ms = detail::jobs::to_ms(options.delay);
  }
  return job;
}

Task<EnqueuedJob> Jobs::insert(const db::Statements& at, NewJob job) const {
  EnqueuedJob inserted;
  if (job.batch == 0) {
    inserted = co_await store_.insert(at, std::move(job), options_.notifies);
  } else if (const auto database = detail::jobs::database_of(at)) {
    const auto inserting = [this, job](Transaction& in) { return insert_into_batch(in, job); };
    inserted = co_await database->transaction(detail::jobs::kRepeated, inserting);
  } else {
    inserted = co_await insert_into_batch(at, std::move(job));
  }
  poke();
  co_return inserted;
}

/// at  a transaction: a batch that counts a job that does not exist would never end
Task<EnqueuedJob> Jobs::insert_into_batch(const db::Statements& at, NewJob job) const {
  const std::int64_t batch = job.batch;
  const bool is_open = co_await store_.count_in(at, batch);
  if (!is_open) {
    detail::jobs::refuse("There is no batch " + std::to_string(batch) + ", or it is over.");
  }
  const EnqueuedJob inserted = co_await store_.insert(at, std::move(job), options_.notifies);
  if (!inserted.is_new) {
    co_await store_.count_out(at, batch, 0);
  }
  co_return inserted;
}

Task<> Jobs::insert_all(const db::Statements& at, NewJob job, std::vector<std::string> args) const {
  if (!job.unique_key.empty() || job.unique_ms > 0 || job.batch != 0) {
    detail::jobs::refuse("enqueue_all supports neither .unique, .unique_for nor .batch.");
  }
  for (const std::string& each : args) {
    detail::jobs::check_args(job.kind, each);
  }
  co_await store_.insert_all(at, std::move(job), std::move(args), options_.notifies);
  poke();
}

Task<EnqueuedJob> Jobs::insert_batch(const db::Statements& at, NewJob job,
                                     std::vector<std::string> args, NewJob then) const {
  if (!job.unique_key.empty() || job.unique_ms > 0 || job.batch != 0) {
    detail::jobs::refuse("enqueue_batch supports neither .unique, .unique_for nor .batch.");
  }
  for (const std::string& each : args) {
    detail::jobs::check_args(job.kind, each);
  }
  then.pending = static_cast<std::int64_t>(args.size());
  const EnqueuedJob inserted = co_await store_.insert(at, std::move(then), options_.notifies);
  job.batch = inserted.id;
  co_await store_.insert_all(at, std::move(job), std::move(args), options_.notifies);
  poke();
  co_return inserted;
}

Task<std::vector<std::string>> Jobs::waiting_args(const Entry& entry) const {
  auto all = co_await store_.database().all<std::string>(
      "select args from eider_jobs where kind = $1 and "
      "state in ('scheduled', 'available', 'waiting') order by id",
      entry.options.name);
  co_return all;
}

Jobs& add_jobs(App& app, Database database, JobsOptions options) {
  const bool has_log = options.log != nullptr;
  auto& jobs = app.add_module<Jobs>(std::move(database), std::move(options));
  app.state(detail::app::ListenRule{[&jobs] { return jobs.serves(); }});
  if (!has_log) {
    jobs.log_to(app.log_writer());
  }
  if (app.find_state<JobSpans>() == nullptr) {
    app.state(JobSpans{});  // trace_requests may be called later
  }
  jobs.trace_to(app.find_state<JobSpans>());
  return jobs;
}

}  // namespace eider
