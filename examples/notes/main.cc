// A small notes service: HTML pages and a JSON API, with SQLite or PostgreSQL.
#include <eider/eider.h>
#include <eider/postgres.h>
#include <eider/sqlite.h>

#include <string>
#include <vector>

#include "routes.h"
#include "store.h"

namespace {

struct Options {
  std::string database_file = "notes.db";
  std::string database = {};
  std::vector<std::string> hosts = {};

  static constexpr eider::OptionText kOptions[] = {
      {"database_file", "SQLite file with the notes", "FILE"},
      {"database", "PostgreSQL database to use instead of the file, postgres://…", "URL"},
      {"hosts", "Host name of this service, in addition to localhost; can be repeated", "NAME"}};
};

/// This service has no authentication, so it must reject other host names: a page of another site
/// could resolve its own name to this machine (DNS rebinding).
std::vector<std::string> with_local(std::vector<std::string> hosts) {
  hosts.insert(hosts.end(), {"localhost", "127.0.0.1", "[::1]"});
  return hosts;
}

eider::App make_app(const Options& own) {
  const eider::Database database = own.database.empty() ? eider::open_sqlite(own.database_file)
                                                        : eider::open_postgres(own.database);
  eider::App app;
  notes::add_pages(app);
  notes::add_api(app);
  app.use(eider::allow_hosts(with_local(own.hosts)));
  notes::add_store(app, database);
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return eider::run_app<Options>("notes", argc, argv, make_app);
}
