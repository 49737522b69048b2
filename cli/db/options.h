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

/// Migrations that statements are checked against.
///
/// database  whose they are: "sqlite", "postgres", "mariadb"
struct CheckedSchema {
  std::string database;
  std::string migrations;
};

/// what      "up"
/// name      of `new` alone
/// files     of `check` alone: sources
/// schemas   of `check`, `header` and `structs`, one at least
/// is_json   of `status` alone
/// is_check  of `structs`: compares, and writes nothing
/// is_read   of `structs`: from the database, and not from migrations
/// name_space  of `structs`
/// is_production  of `seed`: the database may be on another machine
/// server    of `check` alone: a PostgreSQL or MariaDB server that has room for a scratch database
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

/// errors   what could not be understood
[[nodiscard]] Result<DbWanted, std::string> db_wanted(std::span<const std::string_view> arguments);

// The actions of `eider db` that have a source of their own.

/// Writes wanted.lock anew of wanted.files, by each of wanted.schemas.
///
/// errors   "src/store.cc:12: SQLite: no such column: titel", a line for each
[[nodiscard]] Result<void, std::string> check_sql(const DbWanted& wanted);

/// Makes the header wanted.out of wanted.lock.
///
/// errors   also that the lock file is of another schema than the migrations
[[nodiscard]] Result<void, std::string> write_sql_header(const DbWanted& wanted);

/// Writes wanted.out with the structs of the tables, and the user's file beside it if there is
/// none.
///
/// returns  the exit code: with is_check, kCommandFailed if the file differs; messages are printed
[[nodiscard]] int write_structs(const DbWanted& wanted);

/// Runs the SQL files of wanted.seeds, and prints the rows that they have added.
///
/// returns  the exit code; errors are printed
[[nodiscard]] int run_seeds(const DbWanted& wanted);

/// The next number with that name.
///
/// returns  the file
[[nodiscard]] Result<std::string, std::string> make_migration(const DbWanted& wanted);

/// OUT.h and OUT.cc, with a function named as OUT's last part.
[[nodiscard]] Result<void, std::string> embed_migrations(const DbWanted& wanted);

/// To wanted.out, or the standard output. PostgreSQL's is what pg_dump says, without what differs
/// from run to run.
[[nodiscard]] Result<void, std::string> write_snapshot(const DbWanted& wanted,
                                                       const Database& database);

}  // namespace eider
