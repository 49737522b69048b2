// Applies the migrations of an application to a database, and undoes the last one.
// Layering: must not run for each request; it is for startup and for `eider db`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/core/reflect/option_text.h"
#include "eider/data/db/checked_column.h"
#include "eider/data/db/database.h"
#include "eider/data/db/migrations/migrations.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// The columns that the statements of the including program were checked against; empty without
/// eider_checked_sql().
#ifdef EIDER_CHECKED_SQL
constexpr db::checked::TableColumns kCheckedHere{db::checked::kTableColumns};
#else
constexpr db::checked::TableColumns kCheckedHere{};
#endif

struct MigrateOptions {
  /// Action for a migration outside of a transaction that has not ended: wait for the other process
  /// and then fail, run the migration again, or mark it as done.
  enum class Unfinished : std::uint8_t { fail, rerun, mark_done };

  /// Maximum time to wait for another process that runs migrations.
  Duration wait_max = std::chrono::minutes(1);
  /// Allows the program to start if the database has newer migrations than it knows.
  bool accepts_newer = false;
  /// Migrations above this number are not applied.
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  Unfinished unfinished = Unfinished::fail;
  /// Called with the name of each migration that was applied or undone.
  std::function<void(std::string_view)> on_step{};
  /// Called with warnings of SchemaModule. Default: stderr.
  std::function<void(std::string_view)> on_warning{};
};

/// Applies all pending migrations. Each runs in its own transaction, together with the row that
/// records it, under a lock that only one process holds at a time. Statements and transactions have
/// the time limits of the database (db::PoolLimits).
///
/// returns  the number of applied migrations
/// errors   a line for each error, with file, key and fix: [edited], [renamed], [missing], [order],
///          [unfinished], [locked], [connections], [foreign_keys], [failed]; a text without a key
///          if the database cannot be used. Migrations before a failed one stay applied
[[nodiscard]] Task<Result<std::size_t, std::string>> migrate(Database database,
                                                             Migrations migrations,
                                                             MigrateOptions options = {});

/// Undoes the last applied migration with its .down.sql.
///
/// returns  its name; nothing if no migration is applied
/// errors   as above, and [no_down]
[[nodiscard]] Task<Result<std::optional<std::string>, std::string>> migrate_down(
    Database database, Migrations migrations, MigrateOptions options = {});

/// applied  the time, "2026-01-31T12:00:00Z"; std::nullopt if it is pending
struct MigrationState {
  std::string name;
  std::optional<std::string> applied;
  bool is_unfinished = false;
};

/// all      in the order of their numbers, including those that only the database knows
/// errors   like those of `migrate`; empty without errors
struct MigrationStatus {
  std::vector<MigrationState> all;
  std::string errors;

  [[nodiscard]] bool is_current() const noexcept;
};

/// Only reads. Throws db::Failure.
[[nodiscard]] Task<MigrationStatus> migration_status(Database database, Migrations migrations,
                                                     MigrateOptions options = {});

/// Compares the database with the one that `eider db check` used, for the columns that statements
/// of the program use: finds manual changes (docs/guides/data/checked-sql.md).
///
/// returns  a line for each column that is missing, has another type, or is now nullable: [differs]
/// errors   throws db::Failure
[[nodiscard]] Task<std::string> schema_differences(
    Database database, db::checked::TableColumns checked = kCheckedHere);

/// Applies the migrations when an application starts, before modules that are added later:
///
///     app.add_module<SchemaModule>(database, shop_migrations());
///
/// With `--migrations-at-start false`, it does not apply migrations, and startup fails if the
/// schema is not up to date. Startup also fails if the schema differs from the one that a program
/// with checked SQL was checked against; with `--migrations-check-columns false`, that is only a
/// warning.
class SchemaModule {
 public:
  static constexpr std::string_view kName = "migrations";
  struct Settings {
    bool at_start = true;
    bool check_columns = true;

    static constexpr OptionText kOptions[] = {
        {"at_start",
         "Apply pending migrations at startup; with false, pending migrations are an error"},
        {"check_columns",
         "Exit if the schema differs from the one that the statements were checked against; with "
         "false, log a warning"}};
  };

  SchemaModule(Database database, Migrations migrations, MigrateOptions options = {},
               db::checked::TableColumns checked = kCheckedHere)
      : database_(std::move(database)),
        migrations_(std::move(migrations)),
        options_(std::move(options)),
        checked_(checked) {}
  /// Creates a module for a program with checked SQL whose schema is managed elsewhere.
  explicit SchemaModule(Database database, db::checked::TableColumns checked = kCheckedHere)
      : database_(std::move(database)), checked_(checked) {}

  [[nodiscard]] Task<Result<void>> start();

  Settings settings{};

 private:
  [[nodiscard]] Task<Result<void>> start_at_once();
  [[nodiscard]] Task<std::string> bring_there();

  Database database_;
  std::optional<Migrations> migrations_{};
  MigrateOptions options_{};
  db::checked::TableColumns checked_;
};

}  // namespace eider
