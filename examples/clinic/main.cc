// A clinic: appointments with reminders, documents of patients, admin pages, a JSON API.
//   ./clinic --port 8080, and open http://localhost:8080/
//   ./clinic --database postgres://clinic@db.example/clinic --smtp-url smtp://mail.example
#include <eider/postgres.h>
#include <eider/sqlite.h>

#include "clinic.h"

namespace {

using namespace eider;

App make_app(const clinic::Settings& own, const StorageOptions& storage) {
  App app = clinic::make_app(
      own, {.database =
                own.database.empty() ? open_sqlite(own.database_file) : open_postgres(own.database),
            .storage = Storage(storage),
            .mails = own.smtp_url.empty() ? mail_log() : smtp({.url = own.smtp_url})});
  app.observe(access_log());
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  clinic::Settings own;
  StorageOptions storage;
  return run_app(OptionSet("clinic").add(own).add(storage, "storage"), argc, argv,
                 [&] { return make_app(own, storage); });
}
