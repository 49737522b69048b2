// Claims and runs jobs on one event loop, within a lease that heartbeats extend.
// Layering: must not know how jobs are enqueued, or applications.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/work.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/web/jobs/job_handler.h"
#include "eider/web/jobs/job_store.h"

namespace eider::detail::jobs {

/// Maximum numbers of concurrent jobs of a queue.
///
/// cluster  in all processes together; 0: not limited
struct QueueLimits {
  unsigned process = 0;
  unsigned cluster = 0;
};

struct WorkerOptions {
  std::map<std::string, QueueLimits, std::less<>> queues;
  Duration lease;
  Duration interval_max;
  Duration failed_for;
  Duration stop_grace;
  std::shared_ptr<SpanSink> spans;  // null: jobs are not traced
};

/// The numbers of jobs that this worker has run so far.
struct WorkerCounts {
  std::atomic<std::uint64_t> done{0};
  std::atomic<std::uint64_t> retried{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> taken_over{0};
  std::atomic<std::int64_t> running{0};
  std::atomic<bool> has_lease{false};
};

/// The maximum interval in simulated time, in which no other process enqueues jobs. With the real
/// interval, a simulated day would take many thousand statements.
inline constexpr Duration kIntervalSimulated = std::chrono::minutes(10);

class Worker {
 public:
  using Say = std::function<void(LogLevel, std::string_view)>;

  /// store    with its queues and types set; must outlive this object
  /// entries  must outlive this object
  Worker(const JobStore& store, std::vector<std::shared_ptr<Entry>> entries, WorkerOptions options,
         Say say);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Called on its event loop.

  void start();
  /// Checks for jobs soon, because one may have been enqueued.
  void poke() noexcept;
  /// Stops claiming jobs; waits for running jobs, then cancels and returns them.
  [[nodiscard]] Task<> stop();

  [[nodiscard]] const WorkerCounts& counts() const noexcept { return counts_; }

 private:
  struct Active;
  struct Queue {
    std::string name;
    QueueLimits limits;
    unsigned running = 0;
    bool is_ready = false;
    bool is_paused = false;

    [[nodiscard]] bool wants_jobs() const noexcept {
      return is_ready && !is_paused && running < limits.process;
    }
  };
  enum class Why : std::uint8_t { none, taken_over, stopping, cancelled };
  using Key = std::pair<std::int64_t, std::int64_t>;  // id and fence

  Task<> work();
  Task<bool> take_jobs();
  Task<> look();
  Task<bool> claim(Queue& queue);
  Task<> return_all(std::vector<Claimed> claimed);
  void start(Queue& queue, Claimed job);
  Task<> run(std::shared_ptr<Active> active);
  Task<Ending> attempt(std::shared_ptr<Active> active);
  [[nodiscard]] Ending ending_after(const Active& active, Why why, const std::string& error) const;
  Task<> show_progress();
  Task<> store_progress(std::shared_ptr<Active> active, Duration within);
  Task<> record(std::shared_ptr<Active> active, Ending ending);
  Task<> record_done();
  void forget(const Active& active);
  void report(const Active& active, const Ending& ending);

  [[nodiscard]] Duration lease() const;
  Task<> begin_lease();
  Task<> keep_lease();
  Task<> guard_lease();
  Task<> beat();
  Task<> watch_jobs();
  Task<> compare_and_release();
  Task<> compare();
  Task<> release_orphans();
  Task<> release(const std::vector<Held>& orphans);
  void lose_lease(std::string_view why);

  Task<> listen();
  Task<> keep_house();
  Task<> report_unknown_kinds();
  Task<> wait_for_wake(Duration pause);
  Task<bool> becomes_idle(Instant until);
  [[nodiscard]] WorkRef work_of(const Active& active) const;
  void say(LogLevel level, const std::string& line) const { say_(level, "jobs: " + line); }

  const JobStore& store_;
  const std::vector<std::shared_ptr<Entry>> entries_;
  const WorkerOptions options_;
  const Say say_;
  Semaphore transactions_;  // limits those of handlers that are open at the same time
  WorkerCounts counts_;
  std::vector<Queue> queues_;
  std::map<Key, std::shared_ptr<Active>> active_;
  std::vector<Key> done_;  // done, but not yet recorded
  AsyncEvent done_added_;
  AsyncEvent has_progress_;
  AsyncEvent idle_;
  AsyncEvent wake_;
  AsyncEvent work_over_;
  bool is_stopping_ = false;
  bool hears_notices_ = false;
  bool has_cluster_limit_ = false;
  bool is_poked_ = false;
  std::set<std::string> reported_kinds_;
  Duration next_due_in_ = Duration::max();
  Instant looked_{};

  // The lease.
  std::int64_t id_ = 0;  // 0: none
  std::uint64_t epoch_ = 0;
  Instant valid_until_{};
  Instant next_beat_{};
  AsyncEvent lease_begun_;
  bool is_claiming_ = false;
  std::uint64_t claims_ = 0;
  std::uint64_t compared_ = 0;  // value of claims_ when the table was last compared
  unsigned comparisons_ = 0;

  Scope scope_;  // last: its tasks use the rest
};

}  // namespace eider::detail::jobs
