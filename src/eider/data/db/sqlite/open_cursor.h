// Binds values to SQLite statements and reads rows, also in pieces.
// Layering: must not be included outside of this folder.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "eider/data/db/connection.h"
#include "eider/data/db/sqlite/statement_cache.h"

struct sqlite3;
struct sqlite3_stmt;

namespace eider::db {

/// values   must outlive the execution of the statement
/// errors   Failure(values), thrown: a parameter has no value
void bind_all(const PreparedStatement& prepared, std::span<const Value> values);
/// Passes the columns to `rows`.
///
/// shape  is set to the columns; valid until the statement is prepared again
/// cells  is resized to the number of columns
void begin_rows(sqlite3_stmt* statement, RowShape& shape, std::vector<Cell>& cells, RowSink& rows);
/// How often SQLite has prepared the statement again. The first step does this if the schema has
/// changed; the columns may be different then.
[[nodiscard]] int times_reprepared(sqlite3_stmt* statement) noexcept;
/// Passes the current row of the statement to `rows`.
void add_row(sqlite3_stmt* statement, std::span<Cell> cells, RowSink& rows);

/// A statement with its own handle, independent of the cached statements, which restart for each
/// execution. As long as it exists, its connection sees no newer state of the file.
class OpenCursor {
 public:
  /// errors   Failure(statement), thrown: it is not read-only; and those of PreparedStatement and
  ///          `bind_all`
  OpenCursor(sqlite3* handle, std::string_view sql, std::span<const Value> values,
             bool is_of_transaction);

  [[nodiscard]] bool is_of_transaction() const noexcept { return is_of_transaction_; }
  /// Reads rows until `rows` is full.
  ///
  /// returns  whether all rows were read
  bool take(RowSink& rows);

 private:
  std::vector<Value> values_;  // bound without a copy
  PreparedStatement prepared_;
  RowShape shape_;
  std::vector<Cell> cells_;
  bool is_of_transaction_;
};

}  // namespace eider::db
