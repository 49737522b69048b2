// The statements of jobs: their tables, for each dialect, with times of the database's clock.
// Layering: must not know handlers, or when to call which statement.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::jobs {

/// A row to insert.
///
/// due_ms      since 1970, by the caller's clock; with `is_delay`, from now by that of the database
/// unique_key  empty: none
struct NewJob {
  std::string kind{};
  std::string queue{};
  std::string args{};
  std::string unique_key{};
  std::string trace{};
  std::int64_t unique_ms = 0;
  std::int64_t priority = 0;
  std::int64_t attempts_max = 0;
  std::int64_t due_ms = 0;
  bool is_delay = false;
  bool is_scheduled = false;
  std::int64_t batch = 0;
  std::int64_t pending = 0;  // for a follow-up job: the number of jobs that it waits for
};

/// id      of the new job, or of the one with the same key
/// is_new  false: it was there already
struct Inserted {
  std::int64_t id = 0;
  bool is_new = true;
};

/// A job that this process has claimed.
struct Claimed {
  std::int64_t id = 0;
  std::string kind;
  std::string queue;
  std::int64_t priority = 0;
  std::int64_t attempt = 0;
  std::int64_t attempts_max = 0;
  std::int64_t fence = 0;
  std::int64_t batch = 0;
  std::int64_t batch_failed = 0;
  std::int64_t unique_until = 0;
  std::int64_t created = 0;
  std::string args;
  std::string saved;
  std::string trace;
};

/// A running job, as a heartbeat sees it.
struct Held {
  std::int64_t id = 0;
  std::int64_t fence = 0;
  std::int64_t attempt = 0;
  std::int64_t attempts_max = 0;
  std::int64_t batch = 0;
  bool is_cancelled = false;
};

/// ready, paused  a bit per queue, in the order of `Queues`
struct Probe {
  std::optional<std::int64_t> next_due;
  std::int64_t now = 0;
  std::int64_t ready = 0;
  std::int64_t paused = 0;
};

/// How far a job has come. `total` is 0 if it is not known.
struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string text;
};

/// A type without a handler in any process.
struct UnknownKind {
  std::string kind;
  std::int64_t count = 0;
};

/// The end of an attempt.
///
/// pause_ms  until the next attempt, or how long an ended job is kept
struct Ending {
  enum class How : std::uint8_t { done, retry, failed, released, cancelled };
  std::int64_t id = 0;
  std::int64_t fence = 0;
  How how = How::done;
  std::int64_t pause_ms = 0;
  std::string error{};
  std::int64_t batch = 0;
  /// The attempt does not count.
  bool is_attempt_returned = false;
  /// For a job that is done: it is not deleted.
  bool is_kept = false;
};

/// The end of a job that is done. It is kept as well while its unique key is reserved.
[[nodiscard]] Ending done(const Claimed& job, std::int64_t keep_ms);

/// Rounded up: a job must not start before its time.
[[nodiscard]] std::int64_t to_ms(Duration duration);

/// A text for SQL, in quotes.
[[nodiscard]] std::string sql_literal(std::string_view text);

/// Returns the database of statements that are not part of a transaction.
[[nodiscard]] std::optional<Database> database_of(const db::Statements& at);

/// MariaDB rolls back one of two transactions that wait for each other, for example one that
/// cancels a job while another process removes ended jobs, which locks all rows of a small table.
inline constexpr TransactionOptions kRepeated{.tries_max = 5};

/// Returns an error text that each database stores: at most 16 KiB, with U+FFFD instead of NUL and
/// of bytes that are not UTF-8.
[[nodiscard]] std::string storable_text(std::string_view text);

/// Maximum size of the arguments of a job, and of its saved cursor.
inline constexpr std::size_t kArgsBytesMax = std::size_t{1} << 20U;

inline constexpr std::size_t kOrphansAtOnce = 500;

/// Probe has one bit for each queue, in an integer of the database.
inline constexpr std::size_t kQueuesMax = 62;

class JobStore {
 public:
  explicit JobStore(Database database) : database_(std::move(database)) {}

  [[nodiscard]] const Database& database() const noexcept { return database_; }
  /// Sets the queues and job types of this process; before the first claim.
  ///
  /// queues  at most kQueuesMax
  void set_work(const std::vector<std::string>& queues, const std::vector<std::string>& kinds);

  /// Replaces {now} with the time of the database in milliseconds since 1970, and the parts that
  /// differ between dialects. In simulated time, {now} is that of the event loop.
  [[nodiscard]] db::RuntimeSql sql(std::string_view pattern) const;

  /// Returns the statements that workers repeat, in SQLite's dialect: for tests of their query
  /// plans.
  [[nodiscard]] std::vector<db::RuntimeSql> repeated_statements() const;

  [[nodiscard]] Task<> create() const;

  /// at  must outlive the task
  [[nodiscard]] Task<Inserted> insert(const db::Statements& at, NewJob job, bool notifies) const;
  /// The same for many jobs that differ only in their arguments; without unique keys.
  [[nodiscard]] Task<> insert_all(const db::Statements& at, NewJob job,
                                  std::vector<std::string> args, bool notifies) const;

  [[nodiscard]] Task<> add_worker(std::int64_t worker, std::string label,
                                  std::int64_t lease_ms) const;
  /// Ends the worker's lease: its jobs become orphans.
  [[nodiscard]] Task<> remove_worker(std::int64_t worker) const;
  /// returns  false if another process has ended the lease
  [[nodiscard]] Task<bool> extend_lease(std::int64_t worker, std::int64_t lease_ms) const;
  [[nodiscard]] Task<std::vector<Held>> running_of(std::int64_t worker) const;
  /// Deletes the rows of workers whose lease is over.
  ///
  /// returns  their number
  [[nodiscard]] Task<std::int64_t> remove_lapsed_workers() const;
  /// Returns up to kOrphansAtOnce running jobs of workers that have no row.
  [[nodiscard]] Task<std::vector<Held>> orphans() const;

  [[nodiscard]] Task<Probe> probe() const;
  [[nodiscard]] Task<> stage() const;
  /// cluster_max  maximum number of running jobs of the queue in all processes; 0: not limited
  [[nodiscard]] Task<std::vector<Claimed>> claim(std::string queue, std::int64_t worker,
                                                 std::int64_t count,
                                                 std::int64_t cluster_max) const;

  /// Deletes jobs that are done. `pairs` contains id and fence of each job.
  ///
  /// returns  how many of them still belonged to this worker
  [[nodiscard]] Task<std::int64_t> complete(std::vector<std::int64_t> pairs) const;
  /// returns  false if the job no longer belonged to this worker: nothing has changed
  [[nodiscard]] Task<bool> end(Ending ending) const;
  /// The same within a transaction.
  [[nodiscard]] Task<bool> end(const db::Statements& at, Ending ending) const;

  /// Stores the progress of a running job.
  [[nodiscard]] Task<> show(std::int64_t id, std::int64_t fence, Progress progress) const;

  /// Counts a job of a batch that has ended: after the last one, the follow-up job is available.
  [[nodiscard]] Task<> count_out(const db::Statements& at, std::int64_t batch,
                                 std::int64_t failed) const;
  /// Counts a job that has joined a batch.
  ///
  /// returns  false if the batch is over
  [[nodiscard]] Task<bool> count_in(const db::Statements& at, std::int64_t batch) const;

  /// Deletes up to 1,000 failed and done jobs whose time is over.
  ///
  /// returns  whether there may be more
  [[nodiscard]] Task<bool> remove_ended() const;
  /// Records that this process runs these types.
  [[nodiscard]] Task<> note_kinds(std::vector<std::string> kinds) const;
  /// Returns the types of jobs that have waited for a while without a process that runs them.
  [[nodiscard]] Task<std::vector<UnknownKind>> unknown_kinds() const;

 private:
  /// The state of a queue's lock row.
  enum class Lock : std::uint8_t { mine, of_another, no_row };

  [[nodiscard]] Task<std::vector<Claimed>> claim_at(const db::Statements& at, std::string queue,
                                                    std::int64_t worker, std::int64_t count) const;
  [[nodiscard]] Task<Lock> lock_queue(const db::Statements& at, const std::string& queue) const;
  [[nodiscard]] Task<> add_queue(const std::string& queue) const;
  [[nodiscard]] Task<std::optional<std::int64_t>> try_insert(const db::Statements& at,
                                                             const NewJob& job,
                                                             bool notifies) const;
  [[nodiscard]] Task<bool> end_one(const db::Statements& at, const Ending& ending) const;
  [[nodiscard]] bool is(db::Dialect dialect) const noexcept {
    return database_.dialect() == dialect;
  }

  Database database_;
  std::string kinds_ = "''";
  std::string probe_;
};

}  // namespace eider::detail::jobs
