// Converts result codes of SQLite to failures.
// Layering: must not be included outside of this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "eider/data/db/failure.h"

struct sqlite3;
struct sqlite3_stmt;

namespace eider::db {

/// The kind of failure that an extended result code means.
[[nodiscard]] FailureKind kind_of_sqlite_code(int code) noexcept;

/// What the message of a constraint names: "UNIQUE constraint failed: users.email".
[[nodiscard]] RefusedBy refused_by_sqlite(int code, std::string_view message);

/// Throws what `handle` says of its last call.
///
/// doing  what was tried, e.g. the statement's text
/// line   of a script, from 1; 0 for a single statement
[[noreturn]] void throw_sqlite(sqlite3* handle, std::string_view doing, std::int64_t line = 0);
/// The same of a statement that was begun: where its bound values do not fit, that is no failure of
/// ours.
[[noreturn]] void throw_sqlite(sqlite3_stmt* statement, std::string_view doing);

}  // namespace eider::db
