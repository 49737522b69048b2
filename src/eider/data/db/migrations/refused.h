// What a migration's own statements must not do, because the way in which it is run does it.
// Must not ask a database.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "eider/data/db/migrations/migrations.h"
#include "eider/data/db/pool.h"

namespace eider::db {

/// line  of the statement, from 1
/// key   a word that stays the same
/// what  why, and the mend
struct Refused {
  std::size_t line;
  std::string_view key;
  std::string what;
};

/// The first statement that begins or ends a transaction, lifts SQLite's foreign keys, or is a
/// command of the mariadb or psql client.
[[nodiscard]] std::optional<Refused> refused_in(const MigrationScript& script, Dialect dialect);
/// Whether it can be taken back as a whole: that of MariaDB has only statements that leave its
/// transaction open.
[[nodiscard]] bool stays_in_transaction(const MigrationScript& script, Dialect dialect);
/// The first one that is refused whichever database it is for: for the files alone.
[[nodiscard]] std::optional<Refused> refused_in_any(const MigrationScript& script);

/// "0001_a.sql:2: [transaction] …"
[[nodiscard]] std::string told_refused(const std::string& file, const Refused& refused);

}  // namespace eider::db
