// A temporary database, created from the migrations, that describes statements.
// Layering: must not be a database that is in use.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/db/options.h"
#include "cli/db/sql_lock.h"
#include "eider/core/base/result.h"
#include "eider/data/db/migrations/migrations.h"

namespace eider {

class ScratchDatabase {
 public:
  virtual ~ScratchDatabase() = default;
  /// errors   the message of the database
  [[nodiscard]] virtual Result<LockedStatement, std::string> describe(const std::string& sql) = 0;
  /// Returns the address for open_door.
  [[nodiscard]] virtual std::string where() const = 0;
};

using Scratch = Result<std::unique_ptr<ScratchDatabase>, std::string>;

/// errors   one line for each error of the migrations: "0001_a.sql:1: [failed] …"
[[nodiscard]] Scratch make_sqlite_scratch(const Migrations& migrations);

/// server   on which a separate database is created; empty: starts a temporary server
[[nodiscard]] Scratch make_postgres_scratch(const Migrations& migrations,
                                            const std::string& server);
[[nodiscard]] Scratch make_mariadb_scratch(const Migrations& migrations, const std::string& server);

/// The scratch database for that kind: "sqlite", "postgres", "mariadb".
///
/// server  a PostgreSQL or MariaDB server, used if it is of that kind; empty: a temporary one
///
/// errors  as above, with the directory of the schema before each file, so that an editor finds it
[[nodiscard]] Scratch make_scratch(const CheckedSchema& schema, const Migrations& migrations,
                                   const std::string& server);

/// Reads the migrations of a schema. errors  a line for each fault, with the path of the file
[[nodiscard]] Result<Migrations, std::string> migrations_of(const CheckedSchema& schema);

}  // namespace eider
