#include "clinic.h"

#include <eider/assets.h>

#include <utility>

#include "clinic_assets.h"
#include "clinic_postgres_migrations.h"
#include "clinic_sqlite_migrations.h"

namespace clinic {

App make_app(const Settings& settings, const Services& services) {
  const Database database = services.database;
  App app;
  app.use(request_id());
  app.use(security_headers());
  app.use(cross_origin_protection());
  app.use(error_pages());
  app.state(database);
  app.state(services.storage);
  app.add_module<SchemaModule>(database, database.dialect() == db::Dialect::postgres
                                             ? clinic_postgres_migrations()
                                             : clinic_sqlite_migrations());
  const Languages languages = add_languages(
      app, {.directory = settings.languages,
            .texts = {german()},  // texts of the library
            .detect_from = {LanguageSource::cookie, LanguageSource::accept_language}});
  Jobs& jobs = add_jobs(app, database);
  Outbox& mails = add_outbox(app, jobs, {.transport = services.mails});
  serve_assets(app, clinic_assets());
  add_views(app);

  Routes api = app.group("/api");
  add_people(app, api, settings, services, mails, languages);
  add_appointments(app, api, settings, database, jobs, mails, languages);
  add_documents(app, api, services, jobs);
  add_admin(app);
  serve_openapi(app, {.title = "Clinic", .version = "1.0.0", .below = "/api"});
  return app;
}

}  // namespace clinic
