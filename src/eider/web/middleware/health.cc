#include "eider/web/middleware/health.h"

#include <map>
#include <string>
#include <utility>

#include "eider/app/life/checks.h"

namespace eider {

namespace {

using detail::app::Check;
using detail::app::Checks;
using detail::app::LoopChecks;

constexpr int kOk = 200;
constexpr int kUnavailable = 503;

struct Health {
  std::string status;
  std::map<std::string, std::string> checks;
};

Health health_of(const LoopChecks& made) {
  Health health{.status = made.is_leaving() ? "leaving" : "ok", .checks = {}};
  for (const Check& check : made.checks()) {
    health.checks[std::string(check.name)] = check.why.empty() ? "ok" : "failing";
    if (!check.why.empty()) {
      health.status = "failing";
    }
  }
  return health;
}

/// Returns the response. Caches must not store it.
ResponseOf<Health> told(Health health) {
  const int status = health.status == "ok" ? kOk : kUnavailable;
  return ResponseOf(std::move(health)).status(status).header("Cache-Control", "no-store");
}

Task<ResponseOf<Health>> is_ready(State<Checks> checks, State<HealthOptions> options) {
  LoopChecks& here = checks->here();
  co_await here.make(options->within, options->ttl);
  co_return told(health_of(here));
}

ResponseOf<Health> is_alive() {
  return told({.status = "ok", .checks = {}});
}

}  // namespace

void serve_health(App& app, HealthOptions options, std::source_location where) {
  const auto add = [&app, where](const std::string& path, auto handler) {
    if (!path.empty()) {
      app.route(Method::get, RuntimePattern{path, where}, handler).exempt_from_load_shedding();
    }
  };
  add(options.live, &is_alive);
  add(options.ready, &is_ready);
  add(options.startup, &is_alive);
  app.state(std::move(options));
}

}  // namespace eider
