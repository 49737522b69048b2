// A job that a worker has claimed, until its end is recorded.
// Layering: for the files of Worker only.
#pragma once

#include <utility>

#include "eider/io/runtime/cancel.h"
#include "eider/io/runtime/sync.h"
#include "eider/web/jobs/job_context.h"
#include "eider/web/jobs/job_handler.h"
#include "eider/web/jobs/job_store.h"
#include "eider/web/jobs/job_worker.h"

namespace eider::detail::jobs {

/// A job that runs, or whose end is not recorded yet.
struct Worker::Active {
  Active(const JobStore& store, Claimed its_job, Queue& its_queue, const Entry& its_entry,
         const bool& is_stopping, AsyncEvent& has_progress)
      : job(std::move(its_job)),
        queue(its_queue),
        entry(its_entry),
        context(store, job, to_ms(entry.options.keep_done_for), source.token(), is_stopping,
                has_progress) {}

  const Claimed job;
  Queue& queue;
  const Entry& entry;
  CancelSource source;
  JobContext context;
  Why why = Why::none;
  bool is_over = false;     // the handler has ended
  bool is_storing = false;  // its progress; then `stored` is set
  AsyncEvent stored;

  [[nodiscard]] Key key() const noexcept { return {job.id, job.fence}; }
  void cancel(Why its_why) noexcept {
    why = why == Why::none ? its_why : why;
    source.cancel();
  }
};

}  // namespace eider::detail::jobs
