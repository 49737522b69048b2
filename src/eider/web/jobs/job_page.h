// A page that lists queues, jobs and schedules, and retries, discards and pauses.
// Layering: must not be public; it needs a guard.
#pragma once

#include <functional>
#include <string>

#include "eider/app/app.h"

namespace eider {

/// The user of the pages about jobs. If a guard returns one, the log has the name with each change.
struct JobPageUser {
  std::string name;
  static constexpr bool kIsInjectable = true;
};

struct JobPageOptions {
  /// Adds guards to the pages, which decide who sees and changes jobs. Required:
  ///
  ///     .guard = [](Routes& pages) {
  ///       pages.guard([](const Staff& staff) { return JobPageUser{staff.name}; });
  ///     }
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
