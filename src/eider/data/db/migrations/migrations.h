// Migrations as files: 0001_notes.sql, and optionally 0001_notes.down.sql.
// Layering: must not know a database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// The contents of one file. Marker lines configure Eider:
///
///     -- eider: no transaction     for `create index concurrently` and the like
///     -- eider: no foreign keys    SQLite checks them only at the end: to recreate a table
struct MigrationScript {
  std::string sql;  // line ends are '\n'
  bool is_in_transaction = true;
  bool holds_foreign_keys = true;
};

/// number    in the file name, 1 to 18 digits
/// name      "0001_notes": the file name without ".sql"
/// checksum  SHA-256 of up.sql, in hexadecimal
struct Migration {
  std::int64_t number;
  std::string name;
  std::string checksum;
  MigrationScript up;
  std::optional<MigrationScript> down;
};

/// Migrations in the order of their numbers, which are unique.
using Migrations = std::vector<Migration>;

struct MigrationFile {
  std::string_view name;
  std::string_view text;
};

/// errors   a line for each error: "0002_x.sql: [empty] the file contains no statement: …", with
///          the file, a stable key, and the fix
[[nodiscard]] Result<Migrations, std::string> make_migrations(std::span<const MigrationFile> files);

/// Reads the migrations of a directory: all files that end in .sql, except hidden ones. Blocks.
///
/// errors   as above; also if the directory does not exist
[[nodiscard]] Result<Migrations, std::string> read_migrations(const std::string& directory);

/// Returns the migrations that eider_migrations() has embedded, which the build has already
/// checked. Throws Failure for an invalid file.
[[nodiscard]] Migrations embedded_migrations(std::span<const MigrationFile> files);

}  // namespace eider
