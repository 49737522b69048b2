// A table's column as it was when `eider db check` looked at it, in a program that was checked.
// Must not know a database.
#pragma once

#include <span>

namespace eider::db::checked {

/// database   "sqlite", "postgres", "mariadb"
/// type       as the database tells it: "character varying(5)"
/// statement  the first one that names it
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
