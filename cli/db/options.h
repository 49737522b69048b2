// The command-line options of `eider db`.
// Layering: must not run anything.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/database.h"
#include "eider/data/db/migrations/migrate.h"

namespace eider {

/// Migrations against which statements are checked.
///
/// database  "sqlite", "postgres", "mariadb"
struct CheckedSchema {
  std::string database;
  std::string migrations;
};

/// what      the action, such as "up"
/// name      only for `new`
/// files     sources, only for `check`
/// schemas   for `check`, `header` and `structs`; at least one
/// is_json   only for `status`
/// is_check  for `structs`: compares, and writes nothing
/// is_read   for `structs`: from the database, and not from migrations
/// name_space  for `structs`
/// is_production  for `seed`: the database may be on another machine
/// server    for `check` and `structs`: a PostgreSQL or MariaDB server for a scratch database
struct DbWanted {
  std::string what;
  std::string name{};
  std::string database{};
  std::string migrations = "migrations";
  std::string out{};
  std::string lock = "queries.lock";
  std::vector<std::string> files{};
  std::vector<CheckedSchema> schemas{};
  std::string server{};
  bool with_down = false;
  bool is_json = false;
  bool is_check = false;
  bool is_read = false;
  std::string name_space = "tables";
  std::string seeds = "seeds";
  bool is_production = false;
  MigrateOptions migrate{};
};

/// errors   the invalid argument
[[nodiscard]] Result<DbWanted, std::string> db_wanted(std::span<const std::string_view> arguments);

// The actions of `eider db` that have their own source file.

/// Writes wanted.lock from wanted.files, for each of wanted.schemas.
///
/// errors   "src/store.cc:12: SQLite: no such column: titel", one line each
[[nodiscard]] Result<void, std::string> check_sql(const DbWanted& wanted);

/// Writes the header wanted.out from wanted.lock.
///
/// errors   also if the lock file has another schema than the migrations
[[nodiscard]] Result<void, std::string> write_sql_header(const DbWanted& wanted);

/// Writes wanted.out with the structs of the tables, and creates the user's file next to it if it
/// does not exist.
///
/// returns  the exit code: with is_check, kCommandFailed if the file differs; messages are printed
[[nodiscard]] int write_structs(const DbWanted& wanted);

/// Runs the SQL files of wanted.seeds, and prints the rows that they have added.
///
/// returns  the exit code; errors are printed
[[nodiscard]] int run_seeds(const DbWanted& wanted);

/// Creates a migration with that name and the next number.
///
/// returns  the file
[[nodiscard]] Result<std::string, std::string> make_migration(const DbWanted& wanted);

/// Writes OUT.h and OUT.cc, with a function named like the last part of OUT.
[[nodiscard]] Result<void, std::string> embed_migrations(const DbWanted& wanted);

/// Writes the schema to wanted.out, or to standard output. For PostgreSQL it is the output of
/// pg_dump, without lines that differ between runs.
///
/// errors   also kWasStopped (cli/process/run.h)
[[nodiscard]] Result<void, std::string> write_snapshot(const DbWanted& wanted,
                                                       const Database& database);

}  // namespace eider
