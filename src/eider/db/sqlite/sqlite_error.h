// SQLite's result codes as failures.
// Must not be included outside of this folder.
#pragma once

#include <string>
#include <string_view>

#include "eider/db/failure.h"

struct sqlite3;

namespace eider::db {

/// The kind of failure that an extended result code means.
[[nodiscard]] FailureKind kind_of_sqlite_code(int code) noexcept;

/// What the message of a constraint names: "UNIQUE constraint failed: users.email".
[[nodiscard]] RefusedBy refused_by_sqlite(int code, std::string_view message);

/// Throws what `handle` says of its last call.
///
/// doing  what was tried, e.g. the statement's text
[[noreturn]] void throw_sqlite(sqlite3* handle, std::string_view doing);

}  // namespace eider::db
