#include "tracker.h"

#include <eider/middleware/middleware.h>
#include <eider/telemetry/metrics.h>

namespace tracker {

App make_app(const Options& options, const Database& db) {
  App app;
  const Journal& events =
      journal(app, db, {.webhook = options.webhook, .webhook_secret = options.webhook_secret});
  app.state(Store{db, &events, options.uploads_bytes_max});
  app.use(request_id());
  app.use(security_headers());
  serve_metrics(app).guard(needs<Admin>());
  app.get("/health", [](State<Store> store) -> Task<> { co_await store->db.one<int>("select 1"); });
  Routes pages = app.group("/");
  Routes api = app.group("/api");
  api.use(cors({.origins = options.origins, .allows_credentials = true}));
  api.use(cross_origin_protection(options.origins));
  add_accounts(app, api, pages, db, options);
  add_issues(app, api, options);
  add_pages(app, pages);
  serve_openapi(app, {.title = "Tracker", .version = "1.0.0", .below = "/api"});
  return app;
}

}  // namespace tracker
