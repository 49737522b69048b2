#include "cli/db/scratch.h"

#include <algorithm>

#include "cli/db/connect.h"

namespace eider {

namespace {

Scratch scratch_for(std::string_view database, const Migrations& migrations,
                    const std::string& server) {
  if (database == "sqlite") {
    return make_sqlite_scratch(migrations);
  }
  const bool is_mariadbs = is_mariadb_address(server);
  return database == "mariadb" ? make_mariadb_scratch(migrations, is_mariadbs ? server : "")
                               : make_postgres_scratch(migrations, is_mariadbs ? "" : server);
}

/// Puts the directory before the file name in each line.
std::string errors_below(const std::string& directory, std::string_view errors) {
  std::string all;
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    const bool is_file = line.find(".sql:") < line.find(' ');
    all += (all.empty() ? "" : "\n") + (is_file ? directory + "/" : "") + std::string(line);
    errors.remove_prefix(std::min(line.size() + 1, errors.size()));
  }
  return all;
}

}  // namespace

Scratch make_scratch(const CheckedSchema& schema, const Migrations& migrations,
                     const std::string& server) {
  Scratch scratch = scratch_for(schema.database, migrations, server);
  return scratch ? std::move(scratch) : fail(errors_below(schema.migrations, scratch.error()));
}

Result<Migrations, std::string> migrations_of(const CheckedSchema& schema) {
  auto migrations = read_migrations(schema.migrations);
  return migrations ? std::move(migrations)
                    : fail(errors_below(schema.migrations, migrations.error()));
}

}  // namespace eider
