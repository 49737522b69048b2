// Lists, retries and discards jobs, and pauses queues: for programs, `eider jobs`, and pages.
// Layering: must not need a worker, or the types of jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"
#include "eider/web/jobs/job_progress.h"
#include "eider/web/jobs/job_store.h"

namespace eider {

/// A job in the database. Times are milliseconds since 1970 by the clock of the database.
///
/// state   scheduled, available, running, waiting (for its batch), failed or done
/// due     next start, or the start of a job that is available; of an ended one, its deletion
/// worker  host and process of a running job
struct JobInfo {
  std::int64_t id = 0;
  std::string kind;
  std::string queue;
  std::string state;
  std::int64_t priority = 0;
  std::int64_t due = 0;
  std::int64_t attempt = 0;
  std::int64_t attempts_max = 0;
  std::int64_t created = 0;
  std::int64_t started = 0;
  std::string worker;
  std::string unique_key;
  std::string args;
  std::string saved;
  std::string error;
  std::string progress;
  std::int64_t progress_done = 0;
  std::int64_t progress_total = 0;
  std::string trace;

  /// Returns "120 of 500 (24 %), rows".
  [[nodiscard]] std::string progress_text() const;
};

/// Empty members match all jobs.
struct JobFilter {
  std::string state = {};
  std::string queue = {};
  std::string kind = {};
  /// Only jobs with a smaller id, for the next page.
  std::int64_t before = 0;
  std::int64_t limit = 50;
};

/// A queue, as far as it has jobs, has been paused, or has a `cluster_concurrency`.
struct JobQueueInfo {
  std::string name;
  std::int64_t scheduled = 0;
  std::int64_t available = 0;
  std::int64_t running = 0;
  std::int64_t failed = 0;
  bool is_paused = false;
  /// Since when the oldest available job could run; nothing: no job is available.
  std::optional<std::int64_t> oldest;
};

/// A schedule. Times are milliseconds since 1970.
///
/// expression  with its time zone
/// planned     time of the last run; 0: none
struct JobScheduleInfo {
  std::string name;
  std::string expression;
  std::int64_t planned = 0;
  std::int64_t next_run = 0;
};

class JobAdmin {
 public:
  explicit JobAdmin(Database database) : store_(std::move(database)) {}

  /// Creates the tables if necessary.
  [[nodiscard]] Task<> create() const { return store_.create(); }

  /// The newest first.
  [[nodiscard]] Task<std::vector<JobInfo>> list(JobFilter filter = {}) const;
  [[nodiscard]] Task<std::optional<JobInfo>> find(std::int64_t id) const;
  [[nodiscard]] Task<std::optional<JobProgress>> progress(std::int64_t id) const;
  [[nodiscard]] Task<std::vector<JobQueueInfo>> queues() const;
  [[nodiscard]] Task<std::vector<JobScheduleInfo>> schedules() const;

  /// Runs a failed or scheduled job now: a failed one with as many further attempts as a new one, a
  /// scheduled one with those that it has left.
  ///
  /// returns  false if there is no such job
  [[nodiscard]] Task<bool> retry(std::int64_t id) const;
  /// Deletes a job that waits or has ended, and cancels one that runs.
  ///
  /// returns  false if there is no such job
  [[nodiscard]] Task<bool> discard(std::int64_t id) const;
  [[nodiscard]] Task<bool> discard(const db::Statements& at, std::int64_t id) const;

  /// From a few seconds later on, no job of the queue starts; running ones continue.
  [[nodiscard]] Task<> pause(std::string queue) const { return set_paused(std::move(queue), 1); }
  [[nodiscard]] Task<> resume(std::string queue) const { return set_paused(std::move(queue), 0); }

  /// Returns the database's clock in milliseconds since 1970.
  [[nodiscard]] Task<std::int64_t> now() const;

 private:
  [[nodiscard]] Task<bool> discard_within(const db::Statements& at, std::int64_t id) const;
  [[nodiscard]] Task<> set_paused(std::string queue, std::int64_t paused) const;

  detail::jobs::JobStore store_;
};

}  // namespace eider
