// The file of an SQLite database: creates it with its permissions, opens it, and allows it in the
// sandbox.
// Layering: must not know the statements.
#pragma once

#include <memory>
#include <string>

#include "eider/data/db/sqlite/sqlite.h"

struct sqlite3;

namespace eider::db {

/// Path of a database that is in no file.
inline constexpr const char* kInMemory = ":memory:";

struct CloseSqlite {
  void operator()(sqlite3* handle) const noexcept;
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

/// errors   Failure(open), with what to do about it
[[nodiscard]] SqliteHandle open_file(const std::string& path, const SqliteOptions& options);

/// Throws Failure(open) by the last error of `handle`.
[[noreturn]] void throw_cannot_open(const std::string& path, sqlite3* handle);

}  // namespace eider::db
