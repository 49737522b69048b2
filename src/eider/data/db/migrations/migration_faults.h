// Error messages of migrations, and the statements that a migration must not contain.
// Layering: must not repeat a statement; it may contain a password, or be megabytes long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/data/db/failure.h"
#include "eider/data/db/migrations/history.h"
#include "eider/data/db/migrations/migrations.h"
#include "eider/data/db/pool.h"

namespace eider::db {

/// line  of the statement, starting at 1
/// key   a constant error key
/// what  the reason, and the fix
struct Refused {
  std::size_t line;
  std::string_view key;
  std::string what;
};

/// Returns the first statement that begins or ends a transaction, disables SQLite's foreign keys,
/// or is a command of the mariadb or psql client.
[[nodiscard]] std::optional<Refused> refused_in(const MigrationScript& script, Dialect dialect);
/// Returns whether all of it can be rolled back: on MariaDB only if no statement ends its
/// transaction.
[[nodiscard]] bool stays_in_transaction(const MigrationScript& script, Dialect dialect);
/// Returns the first statement that every database rejects: for files of an unknown dialect.
[[nodiscard]] std::optional<Refused> refused_in_any(const MigrationScript& script);

/// Returns "0001_a.sql:2: [transaction] …".
[[nodiscard]] std::string text_of(const std::string& file, const Refused& refused);

enum class Way : std::uint8_t { up, down };

/// Returns "0001_a.sql: [key] what".
[[nodiscard]] std::string fault_text(const std::string& name, const std::string& key,
                                     const std::string& what);
/// Returns "0001_a.down.sql:3: [key] what".
[[nodiscard]] std::string fault_text_at(const Migration& migration, Way way, std::size_t line,
                                        const std::string& key, const std::string& what);
[[nodiscard]] std::string file_name(const Migration& migration, Way way);

/// Returns the database's message, without the statement: file and line identify that.
[[nodiscard]] std::string cause_of(const Failure& failure);

/// For a failure without a statement: the server is not available, or rejects the user.
[[nodiscard]] std::string unusable_text(const Failure& failure);
/// The start of that text.
inline constexpr std::string_view kUnusable = "The database cannot be used: ";
[[nodiscard]] std::string locked_text();
[[nodiscard]] std::string unfinished_text(const AppliedMigration& unfinished);
/// For errors whose statements are not rolled back.
[[nodiscard]] std::string remaining_text(Way way);

}  // namespace eider::db
