// What deployers are told: a file, a word that stays the same, and the mend.
// Must not repeat a statement: there may be a password in it, or megabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "eider/data/db/failure.h"
#include "eider/data/db/migrations/history.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider::db {

enum class Way : std::uint8_t { up, down };

/// "0001_a.sql: [key] what"
[[nodiscard]] std::string told_fault(const std::string& name, const std::string& key,
                                     const std::string& what);
/// "0001_a.down.sql:3: [key] what"
[[nodiscard]] std::string told_at(const Migration& migration, Way way, std::size_t line,
                                  const std::string& key, const std::string& what);
[[nodiscard]] std::string file_name(const Migration& migration, Way way);

/// What the database says of a statement, without that: file and line tell which it is.
[[nodiscard]] std::string cause_of(const Failure& failure);

/// Of a failure that is not a statement's: there is no server, or it does not let the user in.
[[nodiscard]] std::string told_unusable(const Failure& failure);
[[nodiscard]] std::string told_locked();
[[nodiscard]] std::string told_unfinished(const AppliedMigration& unfinished);
/// Behind a failure of what is not taken back.
[[nodiscard]] std::string told_what_stands(Way way);

}  // namespace eider::db
