// A page that lists queues, jobs and schedules, and retries, discards and pauses.
// Layering: must not be public; it needs a guard.
#pragma once

#include <functional>

#include "eider/app/app.h"

namespace eider {

struct JobPageOptions {
  /// Adds guards to the pages, which decide who sees and changes jobs. Required:
  ///
  ///     .guard = [](Routes& pages) { pages.guard(require_role("admin")); }
  std::function<void(Routes& pages)> guard;
};

/// Serves pages about the jobs of the app below `prefix`. They work without scripts. Each change is
/// logged. Requests of other sites that change something get a 403.
///
///     serve_jobs(app, "/admin/jobs", {.guard = …});
///
/// Pre: add_jobs was called on the app
/// errors  throws a Failure without a guard
void serve_jobs(App& app, GroupPrefix prefix, JobPageOptions options);

}  // namespace eider
