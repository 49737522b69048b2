#include "eider/web/jobs/job_schedules.h"

#include <algorithm>
#include <optional>

#include "eider/app/handlers/thrown.h"
#include "eider/core/base/failure.h"
#include "eider/core/json/json.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/jobs/job_worker.h"

namespace eider::detail::jobs {

namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::size_t kScheduleNameBytesMax = 90;
constexpr std::size_t kMissedMax = 100;
/// Maximum pause between plans, because the database's clock may be set, and other programs may
/// change expressions.
constexpr Duration kPlansEvery = minutes(1);
constexpr Duration kPlansApart = milliseconds(20);
/// How often a program without schedules looks for removed ones.
constexpr Duration kRemovalsEvery = std::chrono::hours(1);
/// A schedule that no process has planned for this time was removed from the program: 30 days.
constexpr std::int64_t kRemovedMs = std::int64_t{30} * 24 * 3'600'000;
/// A run that is later than this was missed.
constexpr std::int64_t kLateMs = 60'000;

sys_seconds time_of(std::int64_t ms) {
  return std::chrono::floor<seconds>(std::chrono::sys_time<milliseconds>(milliseconds(ms)));
}

std::int64_t ms_of(sys_seconds time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

/// Returns a time in the far future (2100) for an expression without a further time.
std::int64_t next_ms(const Schedule& schedule, std::int64_t after_ms) {
  const auto next = schedule.cron.next(time_of(after_ms), schedule.zone);
  return next ? ms_of(*next) : std::int64_t{4'102'444'800'000};
}

/// Returns the latest run from `first`, which is a run, to `now`. There may be millions of runs, so
/// it is found by bisection: the next run after a later time is never earlier.
std::int64_t latest_ms(const Schedule& schedule, std::int64_t first, std::int64_t now) {
  std::int64_t latest = first;
  std::int64_t low = first;
  std::int64_t high = now;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    const std::int64_t next = next_ms(schedule, middle);
    if (next <= now) {
      latest = next;
      low = next;
    } else {
      high = middle;
    }
  }
  return latest;
}

}  // namespace

struct Scheduler::Row {
  std::string name;
  std::string expression;
  std::int64_t next_run = 0;
  std::int64_t now = 0;
};

Schedule make_schedule(std::string name, std::string_view expression, ScheduleOptions options) {
  auto cron = Cron::read(expression);
  auto zone = TimeZone::find(options.time_zone);
  std::string fault;
  if (name.empty() || name.size() > kScheduleNameBytesMax) {
    fault = "Its name must have 1 to 90 bytes.";
  } else if (!cron) {
    fault = cron.error();
  } else if (!zone) {
    fault = zone.error();
  }
  if (!fault.empty()) {
    throw Failure(Error::internal("The schedule \"" + name + "\" is not valid: " + fault));
  }
  std::string text(expression);
  text.append(" ").append(options.time_zone);
  return {.name = std::move(name),
          .expression = std::move(text),
          .cron = *cron,
          .zone = std::move(*zone),
          .options = std::move(options),
          .args = {}};
}

Scheduler::Scheduler(const JobStore& store, std::vector<Schedule> schedules, bool notifies,
                     MakeJob make, std::function<void()> poke, Say say)
    : store_(store),
      schedules_(std::move(schedules)),
      notifies_(notifies),
      make_(std::move(make)),
      poke_(std::move(poke)),
      say_(std::move(say)) {}

Task<> Scheduler::stop() {
  scope_.cancel();
  co_await scope_.join();
}

Task<> Scheduler::run() {
  bool is_registered = false;
  while (true) {
    Duration pause = seconds(1);
    std::string fault;
    try {
      if (!is_registered) {
        co_await register_all();
        is_registered = true;
      }
      pause = co_await plan();
    } catch (...) {
      fault = reason_of(thrown_error());
    }
    if (!fault.empty()) {
      say_(LogLevel::error, "jobs: Schedules cannot be planned: " + fault);
    }
    co_await sleep_for(std::max(pause, kPlansApart));
  }
}

/// A new schedule, or one with a changed expression, starts now.
Task<> Scheduler::register_all() {
  const auto now = co_await store_.database().one<std::int64_t>(store_.sql("select {now} as now"));
  for (const Schedule& schedule : schedules_) {
    const std::int64_t next = next_ms(schedule, now.value());
    co_await store_.database().exec(
        "insert into eider_job_schedules(name, expression, planned, next_run) "
        "select $1, $2, 0, $3 where not exists(select 1 from eider_job_schedules where name = $4)",
        schedule.name, schedule.expression, next, schedule.name);
    co_await store_.database().exec(
        "update eider_job_schedules set expression = $1, next_run = $2 "
        "where name = $3 and expression <> $4",
        schedule.expression, next, schedule.name, schedule.expression);
  }
}

/// returns  the time until the next run
Task<Duration> Scheduler::plan() {
  Duration pause = schedules_.empty()               ? kRemovalsEvery
                   : Loop::current().is_simulated() ? kIntervalSimulated
                                                    : kPlansEvery;
  std::size_t found = 0;
  const auto rows = co_await store_.database().all<Row>(
      store_.sql("select name, expression, next_run, {now} as now from eider_job_schedules"));
  for (const Row& row : rows) {
    const auto schedule = std::ranges::find(schedules_, row.name, &Schedule::name);
    found += schedule == schedules_.end() ? 0 : 1;
    if (schedule == schedules_.end() && row.next_run < row.now - kRemovedMs) {
      co_await store_.database().exec(
          "delete from eider_job_schedules where name = $1 and next_run = $2", row.name,
          row.next_run);
    }
    // During an upgrade, the other version of the program plans with its own expression.
    if (schedule == schedules_.end() || schedule->expression != row.expression) {
      continue;
    }
    if (row.next_run <= row.now) {
      co_await plan(*schedule, row);
      pause = Duration::zero();
    } else {
      pause = std::min<Duration>(pause, milliseconds(row.next_run - row.now));
    }
  }
  if (found < schedules_.size()) {  // another program has deleted a row
    co_await register_all();
    pause = Duration::zero();
  }
  co_return pause;
}

Task<> Scheduler::plan(const Schedule& schedule, Row row) {
  std::vector<std::int64_t> planned;
  const MissedRuns missed = schedule.options.missed;
  if (missed == MissedRuns::all) {
    std::int64_t time = row.next_run;
    while (time <= row.now && planned.size() < kMissedMax) {
      planned.push_back(time);
      time = next_ms(schedule, time);
    }
  } else {
    const std::int64_t latest = latest_ms(schedule, row.next_run, row.now);
    if (missed == MissedRuns::once || latest >= row.now - kLateMs) {
      planned.push_back(latest);
    }
  }
  const std::int64_t next = next_ms(schedule, row.now);
  const bool is_mine = co_await enqueue(schedule, std::move(row), std::move(planned), next);
  if (is_mine) {
    poke_();
  }
}

/// Enqueues the jobs, unless another process has changed the row, and thus has enqueued them.
Task<bool> Scheduler::enqueue(const Schedule& schedule, Row row, std::vector<std::int64_t> planned,
                              std::int64_t next) {
  Transaction transaction = co_await store_.database().begin();
  const std::int64_t last = planned.empty() ? row.next_run : planned.back();
  const auto changed = co_await transaction.exec(
      "update eider_job_schedules set planned = $1, next_run = $2 "
      "where name = $3 and next_run = $4 and expression = $5",
      last, next, schedule.name, row.next_run, schedule.expression);
  if (changed.rows != 1) {
    co_return false;
  }
  for (const std::int64_t time : planned) {
    const ScheduledRun run{schedule.name, time};
    NewJob job = make_(schedule.key, schedule.args.empty() ? json::to_text(run) : schedule.args);
    if (schedule.options.skips_if_running) {
      job.unique_key = "schedule:" + schedule.name;
    }
    co_await store_.insert(transaction, std::move(job), notifies_);
  }
  co_await transaction.commit();
  co_return true;
}

}  // namespace eider::detail::jobs
