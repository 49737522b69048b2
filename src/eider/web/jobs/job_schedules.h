// Schedules: enqueue a job at each time of a cron expression, once for all processes.
// Layering: must not run jobs; a worker does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/type_key.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"
#include "eider/web/jobs/cron.h"
#include "eider/web/jobs/job_handler.h"
#include "eider/web/jobs/job_store.h"
#include "eider/web/jobs/time_zone.h"

namespace eider {

/// The job of a schedule whose handler was passed to `app.schedule`.
struct ScheduledRun {
  std::string schedule;
  /// The time of the plan, in milliseconds since 1970.
  std::int64_t planned = 0;
};

/// After a time in which no process ran: `once` runs a schedule once for all runs that were missed,
/// with the latest planned time; `skip` not at all; `all` once for each, up to 100.
enum class MissedRuns : std::uint8_t { once, skip, all };

struct ScheduleOptions {
  /// A name of the IANA database: "Europe/Berlin".
  std::string time_zone = "UTC";
  MissedRuns missed = MissedRuns::once;
  /// Skips a run while the job of an earlier one has not ended.
  bool skips_if_running = false;
  /// Options of the job, if the schedule has a handler. Its default name is that of the schedule.
  JobOptions job = {};
};

namespace detail::jobs {

struct Schedule {
  std::string name;
  std::string expression;
  Cron cron;
  TimeZone zone;
  ScheduleOptions options;
  base::TypeKey key = nullptr;  // type of its job
  std::string args;             // empty: a ScheduledRun
};

/// Whether a W is a handler, and not a job.
template <class W>
inline constexpr bool kIsHandler = std::is_pointer_v<W> || requires { &W::operator(); };

/// Gives an entry its states, and both to the Jobs of the app when it starts.
///
/// entry  null: the schedule enqueues jobs of another entry
[[nodiscard]] app::Part part_of(std::shared_ptr<Entry> entry, std::vector<StateWish> wishes,
                                Schedule schedule);

/// Throws a Failure for an invalid expression, name or time zone.
[[nodiscard]] Schedule make_schedule(std::string name, std::string_view expression,
                                     ScheduleOptions options);

/// Plans runs on one event loop.
class Scheduler {
 public:
  using Say = std::function<void(LogLevel, std::string_view)>;
  /// Returns a new job of that type.
  using MakeJob = std::function<NewJob(base::TypeKey key, std::string args)>;

  /// store  must outlive this object
  /// poke   called when a job was enqueued
  Scheduler(const JobStore& store, std::vector<Schedule> schedules, bool notifies, MakeJob make,
            std::function<void()> poke, Say say);

  void start() { scope_.start(run()); }
  [[nodiscard]] Task<> stop();

 private:
  struct Row;
  Task<> run();
  Task<> register_all();
  Task<Duration> plan();
  Task<> plan(const Schedule& schedule, Row row);
  Task<bool> enqueue(const Schedule& schedule, Row row, std::vector<std::int64_t> planned,
                     std::int64_t next);

  const JobStore& store_;
  const std::vector<Schedule> schedules_;
  const bool notifies_;
  const MakeJob make_;
  const std::function<void()> poke_;
  const Say say_;
  Scope scope_;
};

}  // namespace detail::jobs
}  // namespace eider
