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

/// kind  as of db::checked::ColumnKind: "integer"
/// type  what the database calls it; empty where it does not say
struct LockedColumn {
  std::string name;
  std::string kind;
  std::string type;
  bool may_be_null;
};

struct LockedStatement {
  std::string sql;
  std::vector<std::string> parameters;  // their types; "any" where the database takes all
  std::vector<LockedColumn> columns;
};

/// What one database says of all statements.
///
/// database  "sqlite", "postgres", "mariadb"
/// schema    of all migrations
/// stored    the columns of tables that statements name
struct SqlLock {
  std::string database;
  std::string schema;
  std::vector<LockedStatement> statements;  // by their texts, each once
  std::vector<db::StoredColumn> stored{};
};

/// A checksum of all migrations.
[[nodiscard]] std::string schema_of(const Migrations& migrations);

/// A lock file: one of each database that the program runs on.
using SqlLocks = std::vector<SqlLock>;

/// The one that names table and column, or all columns; null where there is none.
[[nodiscard]] const LockedStatement* first_with(const SqlLock& lock,
                                                const db::StoredColumn& column);

[[nodiscard]] std::string to_text(const SqlLocks& locks);
/// errors   the line that is none
[[nodiscard]] Result<SqlLocks, std::string> read_locks(std::string_view text);
/// The header that db/checked_sql.h includes: the statements that all of them know, each once for
/// every database that tells other columns of it.
[[nodiscard]] std::string to_header(const SqlLocks& locks);

}  // namespace eider
