// A table column as `eider db check` found it, in a checked program.
// Layering: must not know a database.
#pragma once

#include <span>

namespace eider::db::checked {

/// database   "sqlite", "postgres", "mariadb"
/// type       as reported by the database: "character varying(5)"
/// statement  the first one that uses the column
struct TableColumn {
  const char* database;
  const char* table;
  const char* name;
  const char* type;
  bool may_be_null;
  const char* statement;
};
using TableColumns = std::span<const TableColumn>;

}  // namespace eider::db::checked
