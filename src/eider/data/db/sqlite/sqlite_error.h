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

/// Returns the kind of failure for an extended result code.
[[nodiscard]] FailureKind kind_of_sqlite_code(int code) noexcept;

/// Reads a constraint's message, such as "UNIQUE constraint failed: users.email".
[[nodiscard]] RefusedBy refused_by_sqlite(int code, std::string_view message);

/// Throws the last error of `handle`.
///
/// doing  the attempted action, such as the SQL text
/// line   of a script, starting at 1; 0 for a single statement
[[noreturn]] void throw_sqlite(sqlite3* handle, std::string_view doing, std::int64_t line = 0);
/// The same for a running statement: invalid bound values are not a mistake in the application.
[[noreturn]] void throw_sqlite(sqlite3_stmt* statement, std::string_view doing);

}  // namespace eider::db
