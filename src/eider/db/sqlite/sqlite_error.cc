#include "eider/db/sqlite/sqlite_error.h"

#include <sqlite3.h>

namespace eider::db {
namespace {

FailureKind kind_of_constraint(int code) noexcept {
  switch (code) {
    case SQLITE_CONSTRAINT_FOREIGNKEY:
      return FailureKind::foreign_key;
    case SQLITE_CONSTRAINT_NOTNULL:
      return FailureKind::not_null;
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID:
      return FailureKind::unique;
    default:
      return FailureKind::check;
  }
}

}  // namespace

FailureKind kind_of_sqlite_code(int code) noexcept {
  switch (code & 0xFF) {
    case SQLITE_CONSTRAINT:
      return kind_of_constraint(code);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return FailureKind::busy;
    case SQLITE_INTERRUPT:
      return FailureKind::expired;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
    case SQLITE_PROTOCOL:
      return FailureKind::storage;
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
    case SQLITE_RANGE:
      return FailureKind::values;
    default:
      return FailureKind::statement;
  }
}

void throw_sqlite(sqlite3* handle, std::string_view doing) {
  std::string cause = "SQLite: ";
  cause += sqlite3_errmsg(handle);
  cause += ", in: ";
  cause += doing;
  throw Failure(kind_of_sqlite_code(sqlite3_extended_errcode(handle)), std::move(cause));
}

}  // namespace eider::db
