#include "eider/data/db/sqlite/sqlite_error.h"
#include "eider/core/base/utf8.h"

#include <sqlite3.h>

#include <algorithm>

#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"

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
    case SQLITE_CONSTRAINT_DATATYPE:  // a column of a STRICT table
      return FailureKind::values;
    default:
      return FailureKind::check;
  }
}

/// Reads "users.email"; for "users.email, users.name", only the table is returned.
RefusedBy refused_by_columns(std::string_view columns) {
  const std::size_t dot = columns.find('.');
  if (dot == std::string_view::npos) {
    return {};
  }
  RefusedBy by{.table = std::string(columns.substr(0, dot))};
  if (columns.find(", ") == std::string_view::npos) {
    by.column = columns.substr(dot + 1);
  }
  return by;
}

/// PostgreSQL truncates names to this length.
constexpr std::size_t kNameBytesMax = 63;

/// Returns "table_columns_key"; the longer part is truncated if the name is too long.
std::string make_name(std::string_view table, const std::string& columns, std::string_view label) {
  const std::string_view between = columns.empty() ? "" : "_";
  const std::size_t room = kNameBytesMax - label.size() - between.size();
  std::size_t table_size = table.size();
  std::size_t columns_size = columns.size();
  while (table_size + columns_size > room) {
    --(table_size > columns_size ? table_size : columns_size);
  }
  return std::string(cut_utf8(table, table_size))
      .append(between)
      .append(cut_utf8(columns, columns_size))
      .append(label);
}

/// Returns the name that PostgreSQL generates: "users_org_name_key" for "users.org, users.name".
std::string name_of_unique(int code, std::string_view columns) {
  const std::size_t dot = columns.find('.');
  if (dot == std::string_view::npos) {
    return {};
  }
  const std::string_view table = columns.substr(0, dot);
  if (code != SQLITE_CONSTRAINT_UNIQUE) {
    return make_name(table, "", "_pkey");
  }
  std::string names;
  while (columns.size() > table.size()) {
    names.append(names.empty() ? "" : "_").append(take_until(columns, ", ").substr(dot + 1));
  }
  return make_name(table, names, "_key");
}

/// Returns whether a function rejects an argument: SQLite has no code for that. A full-text search
/// reads "a-b" and "a:b" as names of columns. Names in the statement itself are checked before,
/// when it is prepared.
bool is_of_argument(std::string_view message) noexcept {
  constexpr std::string_view kComplaints[] = {"malformed JSON",        "JSON ",
                                              "bad JSON path",         "fts5: ",
                                              "malformed MATCH",       "no such column",
                                              "unterminated string",   "unknown special query",
                                              "integer overflow",      "argument of ",
                                              "second argument to ",   "ESCAPE expression ",
                                              "LIKE or GLOB pattern ", "frame starting offset ",
                                              "frame ending offset ",  "expected integer, got",
                                              "fts5 expression tree"};
  return std::ranges::any_of(kComplaints,
                             [&](std::string_view one) { return message.starts_with(one); });
}

}  // namespace

RefusedBy refused_by_sqlite(int code, std::string_view message) {
  constexpr std::string_view kFailed = " constraint failed: ";
  constexpr std::string_view kIndex = "index '";
  const std::size_t at = message.find(kFailed);
  if (at == std::string_view::npos) {
    return {};
  }
  const std::string_view what = message.substr(0, at);
  std::string_view which = message.substr(at + kFailed.size());
  if (which.starts_with(kIndex) && which.ends_with('\'')) {
    which = which.substr(kIndex.size(), which.size() - kIndex.size() - 1);
    return {.constraint = std::string(which)};
  }
  if (what == "CHECK") {
    return {.constraint = std::string(which)};
  }
  RefusedBy by = refused_by_columns(which);
  if (kind_of_constraint(code) == FailureKind::unique) {
    by.constraint = name_of_unique(code, which);
  }
  return by;
}

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

void throw_sqlite(sqlite3_stmt* statement, std::string_view doing) {
  sqlite3* const handle = sqlite3_db_handle(statement);
  const int code = sqlite3_extended_errcode(handle);
  const bool is_of_values = kind_of_sqlite_code(code) == FailureKind::values ||
                            (code == SQLITE_ERROR && is_of_argument(sqlite3_errmsg(handle)));
  if (!is_of_values || sqlite3_bind_parameter_count(statement) == 0) {
    throw_sqlite(handle, doing);
  }
  // A quoted text in the message may be the value.
  std::string cause = "SQLite: " + std::string(sqlite3_errmsg(handle));
  cause.erase(std::min(cause.find_first_of("\"'"), cause.size()));
  cause.erase(std::min(cause.find(": ", std::string_view("SQLite: ").size()), cause.size()));
  throw Failure::of_value(cause + ", in: " + std::string(doing));
}

void throw_sqlite(sqlite3* handle, std::string_view doing, std::int64_t line) {
  const std::string_view message = sqlite3_errmsg(handle);
  const int code = sqlite3_extended_errcode(handle);
  std::string cause = "SQLite: ";
  cause += message;
  cause += ", in: ";
  cause += doing;
  RefusedBy by =
      (code & 0xFF) == SQLITE_CONSTRAINT ? refused_by_sqlite(code, message) : RefusedBy();
  by.line = line;
  throw Failure(kind_of_sqlite_code(code), std::move(cause), std::move(by));
}

}  // namespace eider::db
