#include "cli/db/scratch.h"

#include <algorithm>

#include "cli/db/connect.h"

namespace eider {

Scratch make_scratch(std::string_view database, const Migrations& migrations,
                     const std::string& server) {
  if (database == "sqlite") {
    return make_sqlite_scratch(migrations);
  }
  const bool is_mariadbs = is_mariadb_address(server);
  return database == "mariadb" ? make_mariadb_scratch(migrations, is_mariadbs ? server : "")
                               : make_postgres_scratch(migrations, is_mariadbs ? "" : server);
}

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

}  // namespace eider
