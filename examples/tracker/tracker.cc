#include "tracker.h"

#include <eider/middleware.h>
#include <eider/telemetry.h>

#include "tracker_assets.h"

namespace tracker {

Database open_database(const std::string& file, SqliteOptions options) {
  options.schema = R"(
    create table if not exists users(
      id integer primary key, name text not null unique, email text not null,
      password text not null, role text not null);
    create table if not exists issues(
      id integer primary key autoincrement, title text not null, body text not null,
      state text not null default 'open', priority integer not null, labels text not null,
      assignee_id integer references users(id), author text not null,
      version integer not null default 1,
      created text not null default (strftime('%Y-%m-%dT%H:%M:%SZ')));
    create table if not exists attachments(
      id integer primary key, issue_id integer not null references issues(id) on delete cascade,
      name text not null, size integer not null,
      file text not null unique);)";
  return open_sqlite(file, options);
}

App make_app(const Options& options, const Database& db, PasswordOptions hash) {
  App app;
  app.use(request_id());
  app.use(security_headers());
  app.use(error_pages());
  serve_metrics(app).guard(require<Admin>());
  app.get("/health", [db]() -> Task<> { co_await db.one<int>("select 1"); });
  serve_assets(app, tracker_assets());
  add_views(app);
  Routes pages = app.group("/");
  Routes api = app.group("/api");
  api.use(cors({.origins = options.origins, .allows_credentials = true}));
  api.use(cross_origin_protection(options.origins));
  add_account_routes(app, api, pages, options, db, std::move(hash));
  add_admin_pages(app, db, add_issues(app, api, pages, options, db));
  serve_openapi(app, {.title = "Tracker", .version = "1.0.0", .below = "/api"});
  return app;
}

}  // namespace tracker
