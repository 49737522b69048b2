#include "eider/cli/db/snapshot.h"

#include <array>
#include <cstdio>
#include <memory>

#include "eider/cli/bench/files.h"
#include "eider/cli/bench/on_loop.h"
#include "eider/cli/db/doors.h"

namespace eider {
namespace {

Result<std::string, std::string> sqlite_schema(const Database& database) {
  std::vector<std::string> statements;
  bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
    statements = co_await database.all<std::string>(
        "select sql from sqlite_schema where sql is not null and name <> 'eider_migrations' and "
        "name not in (select name from pragma_table_list where type = 'shadow') and "
        "name not like 'sqlite\\_%' escape '\\' order by type = 'trigger', type = 'view', "
        "type = 'index', name");
  });
  std::string schema;
  for (const std::string& statement : statements) {
    schema += statement + ";\n";
  }
  return schema;
}

/// Its versions, and a word that is drawn anew each time.
bool differs_each_time(std::string_view line) noexcept {
  return line.starts_with("-- Dumped") || line.starts_with("\\restrict") ||
         line.starts_with("\\unrestrict");
}

Result<std::string, std::string> postgres_schema(const std::string& where) {
  if (const auto set = set_postgres_variables(where); !set) {
    return fail(set.error());
  }
  std::FILE* dump = ::popen(
      "pg_dump --schema-only --no-owner --no-privileges --exclude-table=eider_migrations", "r");
  if (dump == nullptr) {
    return fail(std::string("pg_dump cannot be run"));
  }
  std::string schema;
  std::string line;
  for (int byte = std::fgetc(dump); byte != EOF; byte = std::fgetc(dump)) {
    line.push_back(static_cast<char>(byte));
    if (byte == '\n') {
      schema += differs_each_time(line) ? "" : line;
      line.clear();
    }
  }
  return ::pclose(dump) == 0
             ? Result<std::string, std::string>(std::move(schema))
             : fail(std::string("pg_dump has failed: install the package postgresql-client"));
}

}  // namespace

Result<void, std::string> write_snapshot(const DbWanted& wanted, const Database& database) {
  const auto schema = is_postgres_address(wanted.database) ? postgres_schema(wanted.database)
                                                           : sqlite_schema(database);
  return schema ? bench::write_file(wanted.out.empty() ? "-" : wanted.out, *schema)
                : fail(schema.error());
}

}  // namespace eider
