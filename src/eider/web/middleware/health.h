// Health checks for orchestrators and load balancers: liveness and readiness.
// Layering: must not show causes to clients; the log does.
#pragma once

#include <chrono>
#include <source_location>
#include <string>

#include "eider/app/app.h"

namespace eider {

/// An empty path: none.
struct HealthOptions {
  std::string live = "/livez";
  std::string ready = "/readyz";
  std::string startup = "/startupz";
  /// Time limit for all checks together; a check that takes longer has failed.
  Duration within = std::chrono::seconds(2);
  /// Time for which each event loop caches the result, so that many requests cause few checks.
  Duration ttl = std::chrono::seconds(1);
};

/// Serves the health of the running application, including mounted ones:
///
///     app.check("database", [](State<Database> db) -> Task<> {
///       co_await db->one<int>("select 1");
///     });
///     serve_health(app);           // GET /livez, /readyz, /startupz
///
/// `/readyz` runs all checks (App::check, `check` of modules) concurrently and returns 200. It
/// returns 503 if a check fails: {"status": "failing", "checks": {"database": "failing", "search":
/// "ok"}}. It also returns 503 while the server is shutting down (ServerOptions::shutdown_delay),
/// with the status "leaving" if no check fails. Exceptions of checks are logged once until their
/// text changes. `/livez` and `/startupz` return 200 whenever an event loop responds. A server
/// accepts no connections before it has started, and a restart does not fix a lost database.
///
/// Pre: called on the app that is served, not on a mounted one
void serve_health(App& app, HealthOptions options = {},
                  std::source_location where = std::source_location::current());

}  // namespace eider
