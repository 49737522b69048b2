#include "cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/bench/on_loop.h"
#include "cli/db/connect.h"
#include "cli/db/options.h"
#include "cli/json_line.h"
#include "cli/process/run.h"
#include "cli/project/words.h"

namespace eider {
namespace {

constexpr std::string_view kDbHelp = R"(eider db ACTION [option …]

Manages the schema of a database with migrations: SQL files such as 0001_notes.sql, each with an
optional 0001_notes.down.sql that undoes it.

new NAME   Create the next migration; with --down, also the file that undoes it
status     Report which migrations are applied and which are pending
up         Apply the pending migrations under a lock, each in a transaction (MariaDB has none for
           schema changes)
down       Undo the last migration
seed       Run the SQL files in --seeds in one transaction, and report the added rows. Seeds that
           would add rows again when they run a second time are an error.
structs    Generate C++ structs for the tables of the migrations, or of --database, into --out FILE.
           Your changes go into another file next to it, which is never overwritten.
check SOURCE …  Prepare the SQL statements in C++ sources against a scratch database, and write
           their parameter and result types to --lock FILE
snapshot   Write the current schema of the database
shell      Open sqlite3, psql or mariadb
embed, header  Generate C++ from the migrations and from --lock; CMake runs them:
           eider_migrations(target …), eider_checked_sql(target …)

--database WHERE   postgres://…, mysql://…, or an SQLite file (default: $DATABASE_URL; of structs:
                   the migrations)
--migrations DIRECTORY  Directory with the migrations (default: migrations)
--sqlite, --postgres, --mariadb DIRECTORY  check, header, structs: the migrations for each database
                   that the program supports (default: --migrations, for SQLite)
--server WHERE     check, structs: PostgreSQL or MariaDB server for the scratch database, which is
                   dropped at the end (default: $EIDER_CHECK_SERVER, or a temporary server). A
                   temporary server needs the package postgresql (or $EIDER_POSTGRES_BIN) or
                   mariadb-server (or $EIDER_MARIADB_BIN).
--lock FILE        check, header: file with the types of the statements (default: queries.lock)
--json             status: write JSON
--seeds DIRECTORY  seed: directory with the SQL files (default: seeds)
--production       seed: also for a database on another machine
--check            structs: write nothing, and list the columns that differ from --out FILE
--namespace NAME   structs: namespace of the structs (default: tables)
--out FILE         snapshot, embed, header, structs: write to FILE (default of structs:
                   src/tables.h; of snapshot: standard output)
--to NUMBER        up: last migration to apply (default: all)
--wait SECONDS     up, down: time to wait for another deployment (default: 60)
--unfinished HOW   up, down: for a migration that was interrupted outside of a transaction, rerun
                   or mark-done

  eider db new orders --down
  eider db up --database postgres://localhost/shop
  eider db structs --postgres migrations --check

Exit codes: 0 success, 1 failure or a difference found by structs --check, 2 invalid usage,
3 status found pending migrations
)";

/// Prints the errors with paths relative to the current directory, so that an editor finds the
/// files.
int complain_of_migrations(const DbWanted& wanted, std::string_view faults) {
  while (!faults.empty()) {
    const std::size_t end = std::min(faults.find('\n'), faults.size());
    const std::string_view line = faults.substr(0, end);
    const bool is_file = line.find(".sql:") != std::string_view::npos;
    fmt::print(stderr, "{}{}\n", is_file ? wanted.migrations + "/" : std::string(), line);
    faults.remove_prefix(std::min(end + 1, faults.size()));
  }
  return kCommandFailed;
}

void print_status(const MigrationStatus& status) {
  for (const MigrationState& state : status.all) {
    const std::string_view how = state.is_unfinished ? "unfinished" : "applied";
    fmt::print("{:10} {:20} {}\n", state.applied ? how : "pending", state.applied.value_or(""),
               state.name);
  }
}

/// The output of --json.
struct StatusReport {
  bool is_current;
  std::vector<MigrationState> migrations;
};

int show_status(const DbWanted& wanted, const Database& database, const Migrations& migrations) {
  MigrationStatus status;
  bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
    status = co_await migration_status(database, migrations, wanted.migrate);
  });
  if (wanted.is_json) {
    fmt::print("{}", json_line(StatusReport{status.is_current(), status.all}));
  } else {
    print_status(status);
  }
  if (!status.errors.empty()) {
    return complain_of_migrations(wanted, status.errors);
  }
  return status.is_current() ? kCommandDone : kCommandFound;
}

int go_up(DbWanted& wanted, const Database& database, const Migrations& migrations) {
  wanted.migrate.on_step = [](std::string_view name) {
    fmt::print("applied {}\n", name);
    (void)std::fflush(stdout);  // the next one may take long
  };
  Result<std::size_t, std::string> done = 0;
  bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
    done = co_await migrate(database, migrations, wanted.migrate);
  });
  if (!done) {
    return complain_of_migrations(wanted, done.error());
  }
  if (*done == 0) {
    fmt::print("no pending migrations\n");
  }
  return kCommandDone;
}

int go_down(const DbWanted& wanted, const Database& database, const Migrations& migrations) {
  Result<std::optional<std::string>, std::string> done;
  bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
    done = co_await migrate_down(database, migrations, wanted.migrate);
  });
  if (!done) {
    return complain_of_migrations(wanted, done.error());
  }
  fmt::print("{}\n", *done ? "undid " + **done : "no migration is applied");
  return kCommandDone;
}

int open_mariadb_shell(const DbWanted& wanted) {
  const auto client = mariadb_client_of(wanted.database);
  if (!client) {
    return command_fault("db", client.error());
  }
  const std::string options = "--defaults-extra-file=" + client->options_file;
  const std::string database = "--database=" + client->database;
  ::execlp("mariadb", "mariadb", options.c_str(), database.c_str(), nullptr);
  return command_fault("db", "the program mariadb is missing: install mariadb-client");
}

int open_shell(const DbWanted& wanted) {
  if (is_mariadb_address(wanted.database)) {
    return open_mariadb_shell(wanted);
  }
  if (is_sqlite_file(wanted.database)) {
    const std::string file = sqlite_file_of(wanted.database);
    ::execlp("sqlite3", "sqlite3", file.c_str(), nullptr);
    return command_fault("db", "the program sqlite3 is missing: install sqlite3");
  }
  if (const auto set = set_postgres_variables(wanted.database); !set) {
    return command_fault("db", set.error());
  }
  ::execlp("psql", "psql", nullptr);
  return command_fault("db", "the program psql is missing: install postgresql-client");
}

/// Runs an action that needs only the migrations.
int run_on_files(const DbWanted& wanted) {
  const auto done = wanted.what == "check" ? check_sql(wanted) : write_sql_header(wanted);
  if (!done) {
    fmt::print(stderr, "{}\n", done.error());
  }
  return done ? kCommandDone : kCommandFailed;
}

int run_on_database(DbWanted& wanted) {
  // Only `up` may create a missing SQLite file: for the other actions, the name is an error.
  const std::string file = sqlite_file_of(wanted.database);
  if (wanted.what != "up" && is_sqlite_file(wanted.database) && !std::filesystem::exists(file)) {
    return command_fault("db",
                         "there is no database " + file + ". Name another one, or run eider db up");
  }
  const auto database =
      open_door(wanted.database,
                wanted.what == "up" || wanted.what == "down" ? Access::writes : Access::reads);
  if (!database) {
    return command_fault("db", database.error());
  }
  if (wanted.what == "snapshot") {
    const auto done = write_snapshot(wanted, *database);
    return done                          ? kCommandDone
           : done.error() == kWasStopped ? kCommandStopped
                                         : command_fault("db", done.error());
  }
  const auto migrations = read_migrations(wanted.migrations);
  if (!migrations) {
    return complain_of_migrations(wanted, migrations.error());
  }
  if (wanted.what == "status") {
    return show_status(wanted, *database, *migrations);
  }
  return wanted.what == "up" ? go_up(wanted, *database, *migrations)
                             : go_down(wanted, *database, *migrations);
}

}  // namespace

int db_command(std::span<const std::string_view> arguments) {
  if (is_help(arguments, kDbHelp)) {
    return kCommandDone;
  }
  auto wanted = db_wanted(arguments);
  if (!wanted) {
    return command_fault("db", wanted.error(), kCommandMisused);
  }
  if (wanted->what == "seed") {
    return run_seeds(*wanted);
  }
  if (wanted->what == "structs") {
    return write_structs(*wanted);
  }
  if (wanted->what == "shell") {
    return open_shell(*wanted);
  }
  if (wanted->what == "new") {
    const auto made = make_migration(*wanted);
    if (made) {
      fmt::print("{}\n", *made);
    }
    return made ? kCommandDone : complain_of_migrations(*wanted, made.error());
  }
  if (wanted->what == "embed") {
    const auto made = embed_migrations(*wanted);
    return made ? kCommandDone : complain_of_migrations(*wanted, made.error());
  }
  return wanted->what == "check" || wanted->what == "header" ? run_on_files(*wanted)
                                                             : run_on_database(*wanted);
}

}  // namespace eider
