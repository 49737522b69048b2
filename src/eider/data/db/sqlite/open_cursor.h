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

/// values   outlive the statement's run
/// errors   Failure(values), thrown: there is none for a parameter
void bind_all(const PreparedStatement& prepared, std::span<const Value> values);
/// Tells the columns.
///
/// shape  becomes theirs; the names are the statement's until it is prepared anew
/// cells  becomes room for as many as there are columns
void begin_rows(sqlite3_stmt* statement, RowShape& shape, std::vector<Cell>& cells, RowSink& rows);
/// How often SQLite has prepared it anew, which a first step does where the schema has changed: the
/// columns may be others then.
[[nodiscard]] int times_reprepared(sqlite3_stmt* statement) noexcept;
/// Hands on the row that the statement stands at.
void add_row(sqlite3_stmt* statement, std::span<Cell> cells, RowSink& rows);

/// Beside the statements that are kept, which each run begins anew. For as long as it is there, its
/// connection sees no newer state of the file.
class OpenCursor {
 public:
  /// errors   Failure(statement), thrown: it does not only read; as PreparedStatement and
  /// `bind_all`
  OpenCursor(sqlite3* handle, std::string_view sql, std::span<const Value> values,
             bool is_of_transaction);

  [[nodiscard]] bool is_of_transaction() const noexcept { return is_of_transaction_; }
  /// Goes on until `rows` is full.
  ///
  /// returns  whether there are no more
  bool take(RowSink& rows);

 private:
  std::vector<Value> values_;  // bound as they lie here
  PreparedStatement prepared_;
  RowShape shape_;
  std::vector<Cell> cells_;
  bool is_of_transaction_;
};

}  // namespace eider::db
