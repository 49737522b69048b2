// What `eider db` is asked for.
// Must not do it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/data/db/migrations/migrate.h"

namespace eider {

/// Migrations that statements are checked against.
///
/// database  whose they are: "sqlite", "postgres", "mariadb"
struct CheckedSchema {
  std::string database;
  std::string migrations;
};

/// what      "up"
/// name      of `new` alone
/// files     of `check` alone: sources
/// schemas   of `check` and `header`, one at least
/// is_json   of `status` alone
/// server    of `check` alone: a PostgreSQL or MariaDB server that has room for a scratch database
struct DbWanted {
  std::string what;
  std::string name{};
  std::string database{};
  std::string migrations = "migrations";
  std::string out{};
  std::string lock = "queries.lock";
  std::vector<std::string> files{};
  std::vector<CheckedSchema> schemas{};
  std::string server{};
  bool with_down = false;
  bool is_json = false;
  MigrateOptions migrate{};
};

/// errors   what could not be understood
[[nodiscard]] Result<DbWanted, std::string> db_wanted(std::span<const std::string_view> arguments);

}  // namespace eider
