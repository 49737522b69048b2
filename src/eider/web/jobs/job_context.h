// A running job, as its handler sees it: attempt, saved steps, progress, completion.
// Layering: must not know the worker's loop; it writes to the job's row.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/json/json.h"
#include "eider/data/db/database.h"
#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/web/jobs/job_store.h"

namespace eider {

/// Thrown by a handler: the job fails without another attempt.
struct CancelJob : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by a handler: the job runs again after `delay`. The attempt does not count.
struct SnoozeJob : std::runtime_error {
  explicit SnoozeJob(Duration its_delay) : std::runtime_error("snoozed"), delay(its_delay) {}
  Duration delay;
};

/// Thrown by JobContext: this worker no longer owns the job, because its lease has ended or the job
/// was discarded. Do not catch it.
struct JobTakenOver : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Thrown by JobContext::save when the process shuts down: the job runs again, and continues at its
/// cursor. Do not catch it.
struct JobInterrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The running job: a parameter `JobContext&` of its handler. Valid until the handler ends.
class JobContext {
 public:
  /// All references must stay valid as long as this object.
  ///
  /// keep_ms  how long the job is kept when it is done
  JobContext(const detail::jobs::JobStore& store, const detail::jobs::Claimed& job,
             std::int64_t keep_ms, Cancel cancelled, const bool& is_stopping,
             AsyncEvent& has_progress) noexcept
      : store_(store),
        job_(job),
        keep_ms_(keep_ms),
        cancelled_(std::move(cancelled)),
        is_stopping_(is_stopping),
        has_progress_(has_progress) {}
  JobContext(const JobContext&) = delete;
  JobContext& operator=(const JobContext&) = delete;

  [[nodiscard]] std::int64_t id() const noexcept;
  /// Returns the number of this attempt, from 1.
  [[nodiscard]] std::int64_t attempt() const noexcept;
  [[nodiscard]] bool is_last_attempt() const noexcept;
  /// Returns the arguments as JSON.
  [[nodiscard]] const std::string& args() const noexcept;
  /// Returns the id of the follow-up job of its batch; 0: none. Jobs that are enqueued with this
  /// `.batch` belong to the batch.
  [[nodiscard]] std::int64_t batch() const noexcept;
  /// Returns the number of jobs of its batch that failed, were canceled or discarded; for a
  /// follow-up job.
  [[nodiscard]] std::int64_t batch_failed() const noexcept;

  /// Returns whether the process shuts down: end soon, or call `save`.
  [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
  /// A token for work on other threads: canceled by a timeout, a shutdown, or the end of the lease.
  [[nodiscard]] const Cancel& cancelled() const noexcept { return cancelled_; }

  /// Marks the job as done within a transaction of the same database: the job is done exactly if
  /// the transaction is committed. Call it last, before the commit.
  ///
  /// errors  JobTakenOver, thrown: nothing may be committed
  [[nodiscard]] Task<> complete(const db::Statements& transaction);

  /// Returns the cursor that an earlier attempt has saved, or a T{}.
  ///
  /// errors  throws a Failure if the saved cursor is not a T
  template <class T>
  [[nodiscard]] T cursor() const {
    return saved().empty() ? T{} : value_or_throw(json::read<T>(saved()));
  }
  /// Saves how far the job has come, as JSON: its next attempt continues there. A point at which a
  /// shutdown can interrupt the job.
  ///
  /// errors  JobTakenOver, JobInterrupted, thrown; a Failure for more than 1 MiB of JSON
  template <class T>
  [[nodiscard]] Task<> save(const T& cursor) {
    return save_text(json::to_text(cursor));
  }
  /// The same within a transaction, together with the step's effects. Does not interrupt the job.
  template <class T>
  [[nodiscard]] Task<> save(const db::Statements& transaction, const T& cursor) {
    return save_text_in(transaction, json::to_text(cursor));
  }

  /// Shows how far the job has come on the page of jobs, in `eider jobs show`, and to follow_job.
  /// The latest values are stored in the background, at most once a second. On the event loop of
  /// the handler.
  ///
  /// total  0: not known
  void progress(std::int64_t done, std::int64_t total, std::string text = {});
  void progress(std::string text) { progress(0, 0, std::move(text)); }

  // Called by the worker.

  [[nodiscard]] const Database& database() const noexcept;
  [[nodiscard]] bool is_completed() const noexcept { return is_completed_; }
  /// Returns the progress that is not stored yet.
  [[nodiscard]] std::optional<detail::jobs::Progress> take_progress() noexcept {
    return std::exchange(progress_, std::nullopt);
  }
  /// Restores progress that could not be stored, unless there is newer progress.
  void put_back(detail::jobs::Progress progress);

 private:
  [[nodiscard]] const std::string& saved() const noexcept;
  [[nodiscard]] Task<> save_text(std::string text);
  [[nodiscard]] Task<> save_text_in(const db::Statements& at, std::string text);

  const detail::jobs::JobStore& store_;
  const detail::jobs::Claimed& job_;
  const std::int64_t keep_ms_;
  const Cancel cancelled_;
  const bool& is_stopping_;
  std::string saved_here_;
  bool is_completed_ = false;
  std::optional<detail::jobs::Progress> progress_;
  AsyncEvent& has_progress_;
};

}  // namespace eider
