// The lock file of checked SQL: text, parameters, columns and tables of each statement.
// Layering: must not query a database.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/migrations/held_columns.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider {

/// kind  as in db::checked::ColumnKind: "integer"
/// type  the database's name of it; empty if the database does not report one
struct LockedColumn {
  std::string name;
  std::string kind;
  std::string type;
  bool may_be_null;
};

struct LockedStatement {
  std::string sql;
  std::vector<std::string> parameters;  // their types; "any" if the database accepts all
  std::vector<LockedColumn> columns;
};

/// The description of all statements by one database.
///
/// database  "sqlite", "postgres", "mariadb"
/// schema    checksum of all migrations
/// stored    the columns of tables that statements use
struct SqlLock {
  std::string database;
  std::string schema;
  std::vector<LockedStatement> statements;  // ordered by text, without duplicates
  std::vector<db::StoredColumn> stored{};
};

/// Returns a checksum of all migrations.
[[nodiscard]] std::string schema_of(const Migrations& migrations);

/// The contents of a lock file: one lock for each database that the program supports.
using SqlLocks = std::vector<SqlLock>;

/// Returns the first statement that names the table and the column, or all columns; null if there
/// is none.
[[nodiscard]] const LockedStatement* first_with(const SqlLock& lock,
                                                const db::StoredColumn& column);

[[nodiscard]] std::string to_text(const SqlLocks& locks);
/// errors   the invalid line
[[nodiscard]] Result<SqlLocks, std::string> read_locks(std::string_view text);
/// Returns the header that db/checked_sql.h includes. It contains the statements that all databases
/// have; statements with different columns occur once for each difference.
[[nodiscard]] std::string to_header(const SqlLocks& locks);

}  // namespace eider
