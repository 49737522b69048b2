#include "cli/db/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "cli/db/connect.h"
#include "cli/db/literals.h"
#include "cli/db/scratch.h"
#include "cli/db/sql_lock.h"
#include "cli/files.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider {
namespace {

constexpr std::string_view kFix =
    "build the target whose name ends with _sql_check, which creates the file";

/// Collects all errors, to report them together.
class SqlChecker {
 public:
  explicit SqlChecker(ScratchDatabase& scratch) noexcept : scratch_(scratch) {}

  void add_files(const std::vector<std::string>& names) {
    std::vector<std::string> sources;
    SqlConstants constants;
    for (const std::string& name : names) {
      auto source = read_text_file(name);
      if (!source) {
        fault(source.error());
      }
      sources.push_back(source ? std::move(*source) : std::string());
      constants.merge(find_sql_constants(sources.back()));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (const SqlLiteral& literal : find_sql_literals(sources[i], constants)) {
        if (!found_.contains(literal.sql)) {
          add(names[i], literal);
        }
      }
    }
  }

  /// Returns the statements that were found, ordered by their texts, so that merges have few
  /// conflicts.
  Result<SqlLock, std::string> take(std::string database, std::string schema) {
    if (!faults_.empty()) {
      return fail(std::move(faults_));
    }
    SqlLock lock{std::move(database), std::move(schema), {}, {}};
    for (auto& [sql, statement] : found_) {
      lock.statements.push_back(std::move(statement));
    }
    return lock;
  }

 private:
  void add(const std::string& file, const SqlLiteral& literal) {
    auto described = scratch_.describe(literal.sql);
    if (described) {
      found_.emplace(literal.sql, std::move(*described));
    } else {
      fault(fmt::format("{}:{}: {}", file, literal.line, described.error()));
    }
  }

  void fault(std::string_view what) {
    faults_ += faults_.empty() ? "" : "\n";
    faults_ += what;
  }

  ScratchDatabase& scratch_;
  std::map<std::string, LockedStatement> found_;
  std::string faults_;
};

/// Stores the columns with which the program compares its database at startup, read with the same
/// query.
Result<void, std::string> add_stored(const ScratchDatabase& scratch, SqlLock& lock) {
  std::string text;
  for (const LockedStatement& statement : lock.statements) {
    text += statement.sql + "\n";
  }
  std::vector<db::StoredColumn> columns;
  auto read = on_database(scratch.where(), Access::reads, [&](const Database& database) -> Task<> {
    columns = co_await db::stored_columns(database, text);
  });
  std::ranges::copy_if(columns, std::back_inserter(lock.stored),
                       [&lock](const auto& column) { return first_with(lock, column) != nullptr; });
  return read;
}

Result<SqlLock, std::string> lock_of(const DbWanted& wanted, const CheckedSchema& schema) {
  const auto migrations = migrations_of(schema);
  if (!migrations) {
    return fail(migrations.error());
  }
  const Scratch scratch = make_scratch(schema, *migrations, wanted.server);
  if (!scratch) {
    return fail(scratch.error());
  }
  SqlChecker checker(**scratch);
  checker.add_files(wanted.files);
  auto lock = checker.take(schema.database, schema_of(*migrations));
  if (!lock) {
    return lock;
  }
  auto done = add_stored(**scratch, *lock);
  return done ? std::move(lock) : fail(std::move(done.error()));
}

/// Returns why the header cannot be generated from the lock file.
Result<void, std::string> hold_lock(const DbWanted& wanted, const SqlLocks& locks) {
  for (const CheckedSchema& schema : wanted.schemas) {
    const auto migrations = migrations_of(schema);
    if (!migrations) {
      return fail(migrations.error());
    }
    const auto lock = std::ranges::find(locks, schema.database, &SqlLock::database);
    if (lock == locks.end() || lock->schema != schema_of(*migrations)) {
      return fail(
          fmt::format("{} does not match the migrations in {}: {}, or set EIDER_SQL_CHECK=OFF "
                      "while the schema changes",
                      wanted.lock, schema.migrations, kFix));
    }
  }
  return locks.size() == wanted.schemas.size()
             ? Result<void, std::string>()
             : fail(fmt::format("{} was generated for other databases: {}", wanted.lock, kFix));
}

}  // namespace

Result<void, std::string> check_sql(const DbWanted& wanted) {
  SqlLocks locks;
  for (const CheckedSchema& schema : wanted.schemas) {
    auto lock = lock_of(wanted, schema);
    if (!lock) {
      return fail(std::move(lock.error()));
    }
    locks.push_back(std::move(*lock));
  }
  return write_if_new(wanted.lock, to_text(locks));
}

Result<void, std::string> write_sql_header(const DbWanted& wanted) {
  const auto text = read_text_file(wanted.lock);
  if (!text) {
    return fail(fmt::format("{}: {}", text.error(), kFix));
  }
  const auto locks = read_locks(*text);
  if (!locks) {
    return fail(fmt::format("{}: {}: {}", wanted.lock, locks.error(), kFix));
  }
  const auto held = hold_lock(wanted, *locks);
  return held ? write_if_new(wanted.out, to_header(*locks)) : held;
}

}  // namespace eider
