// What orchestrators and balancers ask: does it live, may it be sent requests.
// Must not tell clients what is wrong: the log does.
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
  /// All checks together; one that takes longer has failed.
  Duration within = std::chrono::seconds(2);
  /// On each loop, whoever asks again within this hears the last answer: floods cost no checks.
  Duration kept_for = std::chrono::seconds(1);
};

/// Serves what is asked of the application that runs, with those that are mounted in it:
///
///     app.check("database", [](State<Database> db) -> Task<> { co_await db->one<int>("select 1");
///     }); serve_health(app);           // GET /livez, /readyz, /startupz
///
/// `/readyz` makes all checks (App::check, `check` of modules) at once and answers 200, or 503 when
/// one fails and while the server leaves (ServerOptions::leave): {"status": "failing", "checks":
/// {"database": "failing", "search": "ok"}}. What a check has thrown is in the log, once for as
/// long as it says the same. `/livez` and `/startupz` are 200 whenever a loop answers: a server
/// lets nobody in before it has started, and one whose database is gone is not mended by a restart.
///
/// Pre: called on the app that is served, not on one that is mounted
void serve_health(App& app, HealthOptions options = {},
                  std::source_location where = std::source_location::current());

}  // namespace eider
