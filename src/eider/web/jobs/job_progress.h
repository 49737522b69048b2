// The progress of a job as server-sent events.
// Layering: must not know workers; it reads the job's row, which any process may write.
#pragma once

#include <cstdint>
#include <string>

#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/extract.h"
#include "eider/io/runtime/task.h"

namespace eider {

class Jobs;

/// The data of an event of follow_job.
///
/// state  scheduled, available, running, waiting, failed or done; or ended: the job is gone,
///        because it is done (JobOptions::keep_done_for is 0), or was canceled or discarded
/// total  0: not known
struct JobProgress {
  std::string state;
  std::int64_t attempt = 0;
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string text;

  friend bool operator==(const JobProgress&, const JobProgress&) = default;
};

/// A handler that sends an event whenever the progress or the state of a job changes, until the job
/// has ended. The name of the last event is "end". The job may run in another process; its row is
/// read at most once a second. Use it in a route with a guard:
///
///     app.get("/imports/{id}/progress", follow_job).guard(…);
///
/// errors  404 if there is no such job
Task<> follow_job(std::int64_t id, JsonEvents<JobProgress> events, State<Jobs> jobs);

}  // namespace eider
