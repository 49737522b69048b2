// Compares the columns of a database with those that the application's statements were checked
// against.
// Layering: must not change anything.
#pragma once

#include <string>
#include <vector>

#include "eider/data/db/checked_column.h"
#include "eider/data/db/database.h"

namespace eider::db {

/// A column of a table or a view, as reported by the database.
///
/// table_name  with its schema if it is not found without it: "shop.notes"
struct StoredColumn {
  std::string table_name;
  std::string name;
  std::string type;
  bool may_be_null;
};

/// Returns the columns of all tables whose names occur in `text`, sorted by name. One round trip.
/// Throws Failure.
[[nodiscard]] Task<std::vector<StoredColumn>> stored_columns(Database database, std::string text);

/// Returns a line for each difference, or an empty text: a column was removed, has another type, or
/// may be null now. New columns and new NOT NULL constraints are compatible.
[[nodiscard]] std::string differences_of(const std::vector<StoredColumn>& now,
                                         checked::TableColumns checked);

}  // namespace eider::db
