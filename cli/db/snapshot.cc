#include "cli/db/options.h"

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/on_loop.h"
#include "cli/db/connect.h"
#include "cli/files.h"
#include "cli/process/run.h"

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

/// Returns whether the line contains versions, or a word that is random in each dump.
bool differs_each_time(std::string_view line) noexcept {
  return line.starts_with("-- Dumped") || line.starts_with("\\restrict") ||
         line.starts_with("\\unrestrict");
}

/// Removes the counter in `) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT …`: it depends on the rows, not
/// on the schema.
void drop_row_count(std::string& line) {
  constexpr std::string_view kCount = " AUTO_INCREMENT=";
  const std::size_t begin = line.starts_with(')') ? line.find(kCount) : std::string::npos;
  if (begin != std::string::npos) {
    const std::size_t end = line.find_first_not_of("0123456789", begin + kCount.size());
    line.erase(begin, end == std::string::npos ? end : end - begin);
  }
}

/// Returns the output of a dump program, without lines that differ between dumps of the same
/// schema.
///
/// words    must not let the program ask for a password: it does not run in the foreground
/// package  contains the program
Result<std::string, std::string> dumped(std::vector<std::string> words,
                                        const std::string& package) {
  const std::string program = words.front();
  const auto dump = run_program({.words = std::move(words), .output = ProgramCall::Output::kept});
  if (!dump) {
    return fail(dump.error() + ": install the package " + package);
  }
  if (dump->is_stopped) {
    return fail(std::string(kWasStopped));
  }
  if (!dump->is_good()) {  // it has printed why
    return fail(program + " failed");
  }
  std::string schema;
  std::istringstream lines(dump->output);
  for (std::string line; std::getline(lines, line);) {
    drop_row_count(line);
    schema += differs_each_time(line) ? "" : line + '\n';
  }
  return schema;
}

Result<std::string, std::string> postgres_schema(const std::string& where) {
  if (const auto set = set_postgres_variables(where); !set) {
    return fail(set.error());
  }
  return dumped({"pg_dump", "--schema-only", "--no-owner", "--no-privileges", "--no-password",
                 "--exclude-table=eider_migrations"},
                "postgresql-client");
}

Result<std::string, std::string> mariadb_schema(const std::string& where) {
  const auto client = mariadb_client_of(where);
  if (!client) {
    return fail(client.error());
  }
  return dumped(
      {"mariadb-dump", "--defaults-extra-file=" + client->options_file, "--no-data", "--compact",
       "--skip-lock-tables", "--routines", "--events", "--triggers",
       "--ignore-table=" + client->database + ".eider_migrations", "--", client->database},
      "mariadb-client");
}

}  // namespace

Result<void, std::string> write_snapshot(const DbWanted& wanted, const Database& database) {
  const auto schema = is_postgres_address(wanted.database)  ? postgres_schema(wanted.database)
                      : is_mariadb_address(wanted.database) ? mariadb_schema(wanted.database)
                                                            : sqlite_schema(database);
  return schema ? write_text_file(wanted.out.empty() ? "-" : wanted.out, *schema)
                : fail(schema.error());
}

}  // namespace eider
