#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/startup_code.h"
#include "eider/core/reflect/type_of.h"
#include "eider/data/db/migrations/held_columns.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/migrations/migration_faults.h"

namespace eider {
namespace {

using db::Dialect;
using detail::base::CodeName;
using detail::base::with_code;

}  // namespace

Task<std::string> schema_differences(Database database, db::checked::TableColumns checked) {
  std::vector<db::checked::TableColumn> of_this;
  std::string names;
  for (const db::checked::TableColumn& column : checked) {
    if (column.database == reflect::enumerator_name(database.dialect())) {
      of_this.push_back(column);
      names.append(column.table).append("\n");
    }
  }
  if (of_this.empty()) {
    co_return "";
  }
  const auto now = co_await db::stored_columns(database, std::move(names));
  co_return db::differences_of(now, of_this);
}

/// Returns the error that prevents startup, or an empty text.
Task<std::string> SchemaModule::bring_there() {
  if (settings.at_start) {
    auto done = co_await migrate(database_, *migrations_, options_);
    co_return done ? "" : std::move(done.error());
  }
  MigrationStatus status = co_await migration_status(database_, *migrations_, options_);
  for (const MigrationState& state : status.all) {
    if (!state.applied) {
      status.errors += status.errors.empty() ? "" : "\n";
      status.errors += db::fault_text(state.name, "pending",
                                      "the migration has not been applied: run eider db up, or "
                                      "start with --migrations-at-start true");
    }
  }
  co_return std::move(status.errors);
}

Task<Result<void>> SchemaModule::start() {
  try {
    co_return co_await start_at_once();
  } catch (const db::Failure& failure) {
    co_return fail(Error::internal(with_code("database-unreachable", db::unusable_text(failure))));
  }
}

Task<Result<void>> SchemaModule::start_at_once() {
  const db::Impatient impatient(database_.pool());
  if (migrations_) {
    std::string faults = co_await bring_there();
    if (!faults.empty()) {
      // migrate() also returns the text for an unusable database.
      const bool is_unusable = faults.starts_with(db::kUnusable);
      const CodeName code =
          is_unusable ? CodeName("database-unreachable") : CodeName("migration-failed");
      co_return fail(Error::internal(with_code(code, faults)));
    }
  }
  std::string differences = co_await schema_differences(database_, checked_);
  if (!differences.empty() && settings.check_columns) {
    co_return fail(Error::internal(with_code("schema-differs", differences)));
  }
  if (!differences.empty() && options_.on_warning) {
    options_.on_warning(differences);
  } else if (!differences.empty()) {
    std::fprintf(stderr, "%s\n", differences.c_str());
  }
  co_return {};
}

}  // namespace eider
