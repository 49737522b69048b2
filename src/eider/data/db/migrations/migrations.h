// The steps of a schema, as files: 0001_notes.sql and, where it was written, 0001_notes.down.sql.
// Must not know a database.
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

/// What one file says. A line of its own says more of it to Eider:
///
///     -- eider: no transaction     for what cannot run in one, as `create index concurrently`
///     -- eider: no foreign keys    SQLite holds them at its end alone: to make a table anew
struct MigrationScript {
  std::string sql;  // line ends are '\n'
  bool is_in_transaction = true;
  bool holds_foreign_keys = true;
};

/// number    of the file's name, 1 to 18 digits
/// name      "0001_notes": of its file, without ".sql"
/// checksum  SHA-256 of up.sql, in hexadecimal
struct Migration {
  std::int64_t number;
  std::string name;
  std::string checksum;
  MigrationScript up;
  std::optional<MigrationScript> down;
};

/// In the order of their numbers, each of which there is once.
using Migrations = std::vector<Migration>;

struct MigrationFile {
  std::string_view name;
  std::string_view text;
};

/// errors   a line for each fault: "0002_x.sql: [empty] there is no statement in it: …", with the
///          file, a word that stays the same, and the mend
[[nodiscard]] Result<Migrations, std::string> make_migrations(std::span<const MigrationFile> files);

/// Those of a directory: each file that ends in .sql. Blocks.
///
/// errors   as above; also that there is no such directory
[[nodiscard]] Result<Migrations, std::string> read_migrations(const std::string& directory);

/// For what eider_migrations() makes, which has been read once already while building.
/// Throws Failure where a file is wrong.
[[nodiscard]] Migrations embedded_migrations(std::span<const MigrationFile> files);

}  // namespace eider
