#include "eider/web/jobs/job_admin.h"

#include <algorithm>
#include <utility>

namespace eider {

namespace {

constexpr std::string_view kColumns =
    "select j.id, j.kind, j.queue, j.state, j.priority, j.due, j.attempt, j.attempts_max, "
    "j.created, j.started, coalesce(w.label, '') as worker, "
    "coalesce(j.unique_key, '') as unique_key, j.args, coalesce(j.saved, '') as saved, "
    "coalesce(j.error, '') as error, coalesce(j.progress, '') as progress, "
    "j.progress_done, j.progress_total, j.trace "
    "from eider_jobs j left join eider_job_workers w on w.id = j.worker and j.state = 'running' ";

}  // namespace

std::string JobInfo::progress_text() const {
  std::string text;
  if (progress_total > 0) {
    const double percent =
        100.0 * static_cast<double>(progress_done) / static_cast<double>(progress_total);
    text = std::to_string(progress_done) + " of " + std::to_string(progress_total) + " (" +
           std::to_string(static_cast<int>(std::clamp(percent, 0.0, 100.0))) + " %)";
  } else if (progress_done > 0) {
    text = std::to_string(progress_done);
  }
  return text + (text.empty() || progress.empty() ? "" : ", ") + progress;
}

Task<std::vector<JobInfo>> JobAdmin::list(JobFilter filter) const {
  db::BoundSql bound{{std::string(kColumns) + "where 1 = 1"}};
  const auto add = [&bound](std::string_view condition, db::Value value) {
    bound.values.push_back(std::move(value));
    bound.sql.text.append(condition).append("$").append(std::to_string(bound.values.size()));
  };
  if (!filter.state.empty()) {
    add(" and j.state = ", db::Value(filter.state));
  }
  if (!filter.queue.empty()) {
    add(" and j.queue = ", db::Value(filter.queue));
  }
  if (!filter.kind.empty()) {
    add(" and j.kind = ", db::Value(filter.kind));
  }
  if (filter.before != 0) {
    add(" and j.id < ", db::Value(filter.before));
  }
  add(" order by j.id desc limit ", db::Value(filter.limit));
  auto all = co_await store_.database().all<JobInfo>(std::move(bound));
  co_return all;
}

Task<std::optional<JobInfo>> JobAdmin::find(std::int64_t id) const {
  auto found = co_await store_.database().one<JobInfo>(
      db::RuntimeSql{std::string(kColumns) + "where j.id = $1"}, id);
  co_return found;
}

Task<std::optional<JobProgress>> JobAdmin::progress(std::int64_t id) const {
  auto found = co_await store_.database().one<JobProgress>(
      "select state, attempt, progress_done as done, progress_total as total, "
      "coalesce(progress, '') as text from eider_jobs where id = $1",
      id);
  co_return found;
}

Task<std::vector<JobQueueInfo>> JobAdmin::queues() const {
  auto all = co_await store_.database().all<JobQueueInfo>(db::RuntimeSql{
      "select names.name, "
      "count(case when j.state = 'scheduled' then 1 end) as scheduled, "
      "count(case when j.state = 'available' then 1 end) as available, "
      "count(case when j.state = 'running' then 1 end) as running, "
      "count(case when j.state = 'failed' then 1 end) as failed, "
      "max(coalesce(q.paused, 0)) as is_paused, "
      "min(case when j.state = 'available' then j.due end) as oldest "
      "from (select queue as name from eider_jobs union select name from eider_job_queues) names "
      "left join eider_jobs j on j.queue = names.name "
      "left join eider_job_queues q on q.name = names.name group by names.name order by "
      "names.name"});
  co_return all;
}

Task<std::vector<JobScheduleInfo>> JobAdmin::schedules() const {
  auto all = co_await store_.database().all<JobScheduleInfo>(
      "select name, expression, planned, next_run from eider_job_schedules order by name");
  co_return all;
}

// A failed job has given up its unique key, so it runs even if another job has the key since.
// MariaDB computes each column from the new values of those before it.
Task<bool> JobAdmin::retry(std::int64_t id) const {
  const auto changed = co_await store_.database().exec(
      store_.sql("update eider_jobs set "
                 "attempt = case when state = 'failed' or attempt >= attempts_max then 0 "
                 "else attempt end, "
                 "state = 'available', due = {now}, is_cancelled = 0 "
                 "where id = $1 and state in ('failed', 'scheduled')"),
      id);
  co_return changed.rows != 0;
}

Task<bool> JobAdmin::discard(std::int64_t id) const {
  const bool was_there = co_await discard(store_.database(), id);
  co_return was_there;
}

Task<bool> JobAdmin::discard(const db::Statements& at, std::int64_t id) const {
  const auto database = detail::jobs::database_of(at);
  const auto discarding = [this, id](const db::Statements& in) { return discard_within(in, id); };
  if (!database) {
    const bool was_there = co_await discarding(at);
    co_return was_there;
  }
  const bool was_there = co_await database->transaction(detail::jobs::kRepeated, discarding);
  co_return was_there;
}

/// The batch is read with the deletion: a job that has ended meanwhile was counted already, and
/// its row has no batch any more. Before the deletion, a transaction could read an older row.
///
/// at  a transaction: a batch that counts a job that was deleted would never end
Task<bool> JobAdmin::discard_within(const db::Statements& at, std::int64_t id) const {
  // It may be claimed after the first statement, or end after the second.
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto batch = co_await at.one<std::int64_t>(
        "delete from eider_jobs where id = $1 and state <> 'running' returning batch", id);
    if (batch) {
      if (*batch != 0) {
        co_await store_.count_out(at, *batch, 1);
      }
      co_return true;
    }
    const auto running = co_await at.exec(
        "update eider_jobs set is_cancelled = 1 where id = $1 and state = 'running'", id);
    if (running.rows != 0) {
      co_return true;
    }
  }
  co_return false;
}

Task<> JobAdmin::set_paused(std::string queue, std::int64_t paused) const {
  const std::string replaces = store_.database().dialect() == db::Dialect::mariadb
                                   ? "on duplicate key update paused = values(paused)"
                                   : "on conflict (name) do update set paused = excluded.paused";
  co_await store_.database().exec(
      db::RuntimeSql{"insert into eider_job_queues(name, paused) values($1, $2) " + replaces},
      queue, paused);
}

Task<std::int64_t> JobAdmin::now() const {
  const auto now = co_await store_.database().one<std::int64_t>(store_.sql("select {now} as now"));
  co_return now.value_or(0);
}

}  // namespace eider
