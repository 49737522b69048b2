// A small notes service: pages for people, JSON for programs, data in SQLite or PostgreSQL.
#include <eider/db/postgres/postgres.h>
#include <eider/db/sqlite/sqlite.h>
#include <eider/eider.h>

#include <cstdio>
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
      {"database_file", "where the notes are kept", "FILE"},
      {"database", "PostgreSQL that keeps them in place of the file, postgres://…", "URL"},
      {"hosts", "names that it is asked by, beside localhost", "NAME"}};
};

/// Nobody has to say who he is here, so the page of another site must not get in by a name of its
/// own that leads to this machine.
std::vector<std::string> with_local(std::vector<std::string> hosts) {
  hosts.insert(hosts.end(), {"localhost", "127.0.0.1", "[::1]"});
  return hosts;
}

}  // namespace

int main(int argc, char** argv) {
  Options own;
  eider::App app;
  app.options(eider::OptionSet("notes").add(own));
  notes::add_pages(app);
  notes::add_api(app);
  const auto options = eider::read_command_line(argc, argv, app.options());
  if (!options) {
    return options.error();
  }
  auto database = own.database.empty() ? eider::try_open_sqlite(own.database_file)
                                       : eider::try_open_postgres(own.database);
  if (!database) {
    std::fprintf(stderr, "%s\n", database.error().c_str());
    return 1;
  }
  app.use(eider::allow_hosts(with_local(own.hosts)));
  notes::add_store(app, *database);
  return app.serve(*options);
}
