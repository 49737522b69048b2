#include "eider/data/db/create_tables.h"

#include <cstdint>
#include <utility>

namespace eider::db {
namespace {

// Each attempt gets past at least one statement that another process was faster at.
constexpr int kAttemptsMax = 5;

Task<bool> is_selected(Database database, std::string column, std::string table) {
  const RuntimeSql sql{"select count(" + column + ") from " + table + " where 1 = 0"};
  try {
    (void)co_await database.one<std::int64_t>(sql);
  } catch (const Failure& failure) {
    if (failure.kind() != FailureKind::statement) {
      throw;
    }
    co_return false;
  }
  co_return true;
}

}  // namespace

// PostgreSQL's `if not exists` does not lock: of two processes that create a table at the same
// time, the second waits for the first and then fails. Its next attempt finds the table.
Task<> create_tables(Database database, Script script) {
  for (int attempt = 1;; ++attempt) {
    try {
      co_await database.script(script);
      co_return;
    } catch (const Failure&) {
      if (attempt == kAttemptsMax) {
        throw;
      }
    }
  }
}

void refuse_mariadb(const Database& database, std::string_view function) {
  if (database.dialect() == Dialect::mariadb) {
    throw Failure(FailureKind::statement,
                  std::string(function) +
                      " does not support MariaDB and MySQL. Use SQLite or PostgreSQL for it.");
  }
}

Task<> add_column_if_missing(Database database, std::string table, std::string column,
                             std::string definition) {
  const RuntimeSql sql{"alter table " + table + " add column " + column + " " + definition};
  if (co_await is_selected(database, column, table)) {
    co_return;
  }
  bool is_added = true;
  try {
    co_await database.script(sql);
  } catch (const Failure&) {
    is_added = false;
  }
  // A failure is harmless if another process has added the column.
  if (!is_added && !co_await is_selected(database, column, table)) {
    co_await database.script(sql);
  }
}

}  // namespace eider::db
