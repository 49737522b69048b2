// The dashboard of a running service in a browser: event loops, requests and pools.
// Layering: must not be public; without a guard it requires the logged link and this machine.
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
  /// The metrics of serve_metrics; null: the dashboard counts itself.
  std::shared_ptr<Metrics> metrics = nullptr;
};

/// Serves the dashboard at /_eider/, updated each second:
///
///     serve_dashboard(app);      // the log shows the link: http://localhost:8080/_eider/?token=…
///
/// It shows routes with their rates and latencies, and running requests with the reason why each
/// one waits. It also shows event loops, connections, pools, slow statements, the last log lines,
/// and the settings, masked as by --print-config. With several worker processes, it shows the one
/// that responds. Values, queries, headers and bodies of requests appear only if the log contains
/// them. Its state.json has the same data for programs.
///
/// Log lines are those of each open_log, and of an app without a custom log, from this call on;
/// other sinks are not included.
///
/// Pre: called on the app that is served, not on a mounted one
void serve_dashboard(App& app, DashboardOptions options = {},
                     std::source_location where = std::source_location::current());

}  // namespace eider
