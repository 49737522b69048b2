// The dashboard of a running service, in a browser: what each loop, request and pool does.
// Must not be public: without a guard it needs the link in the log, on this machine.
#pragma once

#include <functional>
#include <memory>
#include <source_location>

#include "eider/app/app.h"
#include "eider/ops/telemetry/metrics.h"

namespace eider {

struct DashboardOptions {
  /// Adds guards to all pages of the dashboard, which alone decide who sees it:
  ///
  ///     .guard = [](Routes& pages) { pages.guard([](const Admin&) {}); }
  ///
  /// Empty: it needs a token, which the log shows at startup as a link,
  /// "http://localhost:8080/_eider/?token=…". A browser keeps the token as a cookie, a program
  /// sends "Authorization: Bearer …". Only clients on this machine that request a local host
  /// ("localhost", "127.0.0.1") through no proxy are accepted; others get a 403. The environment
  /// variable EIDER_DASHBOARD_TOKEN sets the token; without it, it is new at each start.
  std::function<void(Routes& pages)> guard = {};
  /// Where serve_metrics counts already; null: the dashboard counts itself.
  std::shared_ptr<Metrics> metrics = nullptr;
};

/// Serves the dashboard at /_eider/, which draws itself anew each second:
///
///     serve_dashboard(app);      // the log shows the link: http://localhost:8080/_eider/?token=…
///
/// It shows routes with their rates and latencies, the requests in flight and what each waits for,
/// loops, connections, pools, slow statements, the last lines of the log, and the settings, as
/// --print-config masks them; of the process that answers, which is one of several where there are
/// workers. Values, queries, fields and bodies of requests are in it where the log has them, and
/// nowhere else. Its state.json is the same for programs.
///
/// Lines are those of each open_log, and of the log of an app that was given none; not those that
/// went to another sink. They are kept from this call on.
///
/// Pre: called on the app that is served, not on one that is mounted
void serve_dashboard(App& app, DashboardOptions options = {},
                     std::source_location where = std::source_location::current());

}  // namespace eider
