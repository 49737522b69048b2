// Creates and extends the tables that components of Eider keep in an application's database.
// Layering: must not know which component owns a table.
#pragma once

#include <string>
#include <string_view>

#include "eider/data/db/database.h"
#include "eider/io/runtime/task.h"

namespace eider::db {

/// Runs statements such as `create table if not exists`, which other processes may run at the same
/// time.
///
/// errors  Failure, after several attempts
[[nodiscard]] Task<> create_tables(Database database, Script script);

/// For components whose tables and statements MariaDB does not accept.
///
/// function  of the component, "add_event_log"
/// errors    throws Failure(statement) on MariaDB and MySQL
void refuse_mariadb(const Database& database, std::string_view function);

/// Adds a column to a table that an older version created; another process may do it first.
///
/// definition  "bigint not null default 0"
[[nodiscard]] Task<> add_column_if_missing(Database database, std::string table, std::string column,
                                           std::string definition);

}  // namespace eider::db
