// Brings a database's schema to where a program's migrations lead, and back by a step.
// Must not be asked for each request: it is for the start, and for `eider db`.
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
#include "eider/data/db/checked_column.h"
#include "eider/data/db/database.h"
#include "eider/data/db/migrations/migrations.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

/// What the statements of the program that includes this were checked against; nothing without
/// eider_checked_sql().
#ifdef EIDER_CHECKED_SQL
constexpr db::checked::TableColumns kCheckedHere{db::checked::kTableColumns};
#else
constexpr db::checked::TableColumns kCheckedHere{};
#endif

struct MigrateOptions {
  /// What to do with one that was begun outside of a transaction and has not ended: wait for the
  /// other deployer and then refuse, run it again, or take it as done.
  enum class Unfinished : std::uint8_t { refuse, again, done };

  /// For how long another deployer is waited for that is at it.
  Duration wait_max = std::chrono::minutes(1);
  /// A program that is older than its database may start: what comes behind the last migration
  /// that it knows is the newer one's matter.
  bool accepts_newer = false;
  /// None above this number is applied.
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  Unfinished unfinished = Unfinished::refuse;
  /// Told each name as soon as it is applied, or taken back.
  std::function<void(std::string_view)> on_step{};
  /// Told what SchemaModule starts in spite of; stderr where there is none.
  std::function<void(std::string_view)> on_warning{};
};

/// Applies what was not applied yet, each in a transaction of its own with the row that says so,
/// under a lock that only one deployer has at a time. Statements and transactions have the time
/// that the database was opened with (db::PoolLimits).
///
/// returns  how many this call has applied
/// errors   a line for each fault, with file, key and mend: [edited], [renamed], [missing],
///          [order], [unfinished], [locked], [failed]; what came ahead of a failed one stays
[[nodiscard]] Task<Result<std::size_t, std::string>> migrate(Database database,
                                                             Migrations migrations,
                                                             MigrateOptions options = {});

/// Takes back the last one that was applied, by its .down.sql.
///
/// returns  its name; nothing when none is applied
/// errors   as above, and [no_down]
[[nodiscard]] Task<Result<std::optional<std::string>, std::string>> migrate_down(
    Database database, Migrations migrations, MigrateOptions options = {});

/// applied  when, "2026-01-31T12:00:00Z"; nothing while it waits
struct MigrationState {
  std::string name;
  std::optional<std::string> applied;
  bool is_unfinished = false;
};

/// all      in the order of their numbers, those too that only the database knows
/// faults   as of `migrate`; empty when all fits
struct MigrationStatus {
  std::vector<MigrationState> all;
  std::string faults;

  [[nodiscard]] bool is_current() const noexcept;
};

/// Reads, and changes nothing. Throws db::Failure.
[[nodiscard]] Task<MigrationStatus> migration_status(Database database, Migrations migrations,
                                                     MigrateOptions options = {});

/// What tells a database from the one that `eider db check` looked at, as far as the statements of
/// the program use it: what somebody has changed by hand (docs/guides/data/checked-sql.md).
///
/// returns  a line for each column that is gone, of another type, or may be null now: [differs]
/// errors   throws db::Failure
[[nodiscard]] Task<std::string> schema_differences(
    Database database, db::checked::TableColumns checked = kCheckedHere);

/// The schema as a part of an application, ahead of the parts that are added behind it:
///
///     app.add_module<SchemaModule>(database, shop_migrations());
///
/// With `--migrations-at-start false` it applies nothing, and refuses to start over a schema that
/// is not there yet. So it does over one that differs from what a program with checked SQL was
/// checked against; with `--migrations-hold-columns false` it only tells that.
class SchemaModule {
 public:
  static constexpr std::string_view kName = "migrations";
  struct Settings {
    bool at_start = true;
    bool hold_columns = true;
  };

  SchemaModule(Database database, Migrations migrations, MigrateOptions options = {},
               db::checked::TableColumns checked = kCheckedHere)
      : database_(std::move(database)),
        migrations_(std::move(migrations)),
        options_(std::move(options)),
        checked_(checked) {}
  /// Of a program with checked SQL whose schema is brought there by another.
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
