// Compares the columns of a database with those that the statements of a program were checked
// against.
// Layering: must not change anything.
#pragma once

#include <string>
#include <vector>

#include "eider/data/db/checked_column.h"
#include "eider/data/db/database.h"

namespace eider::db {

/// A column of a table or a view, as the database tells it.
///
/// table_name  with its schema where it is not found without: "shop.notes"
struct StoredColumn {
  std::string table_name;
  std::string name;
  std::string type;
  bool may_be_null;
};

/// Those of the tables whose names stand anywhere in `text`, by their names. One round trip. Throws
/// Failure.
[[nodiscard]] Task<std::vector<StoredColumn>> stored_columns(Database database, std::string text);

/// What is not as it was, a line for each; empty when all is: a column that is gone, is of another
/// type, or may be null now. What came to it, or may be null no more, fits all that was checked.
[[nodiscard]] std::string differences_of(const std::vector<StoredColumn>& now,
                                         checked::TableColumns checked);

}  // namespace eider::db
