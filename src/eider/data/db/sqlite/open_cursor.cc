#include "eider/data/db/sqlite/open_cursor.h"

#include <sqlite3.h>

#include <cmath>
#include <string>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/sqlite/sqlite_error.h"

namespace eider::db {
namespace {

void bind(sqlite3_stmt* statement, int index, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::null:
      sqlite3_bind_null(statement, index);
      return;
    case Value::Kind::integer:
      sqlite3_bind_int64(statement, index, value.integer().value_or(0));
      return;
    case Value::Kind::real:
      if (std::isnan(value.real().value_or(0))) {  // it would become NULL
        throw Failure::of_value("SQLite cannot store NaN");
      }
      sqlite3_bind_double(statement, index, value.real().value_or(0));
      return;
    case Value::Kind::text:
      if (value.is_array()) {
        throw Failure(FailureKind::values,
                      "SQLite has no arrays: bind the list as it is, and read it with json_each");
      }
      // Static, because the job that owns the values outlives the execution.
      sqlite3_bind_text64(statement, index, value.text()->data(), value.text()->size(),
                          SQLITE_STATIC, SQLITE_UTF8);
      return;
    case Value::Kind::blob:
      if (value.blob()->empty()) {  // its data may be null, which SQLite stores as NULL
        sqlite3_bind_zeroblob(statement, index, 0);
        return;
      }
      sqlite3_bind_blob64(statement, index, value.blob()->data(), value.blob()->size(),
                          SQLITE_STATIC);
      return;
  }
}

std::string_view bytes_of(sqlite3_stmt* statement, int column, const void* begin) noexcept {
  const int size = sqlite3_column_bytes(statement, column);
  return {static_cast<const char*>(begin), begin == nullptr ? 0 : static_cast<std::size_t>(size)};
}

Cell read_cell(sqlite3_stmt* statement, int column) noexcept {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return {.kind = Value::Kind::integer, .integer = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT:
      return {.kind = Value::Kind::real, .real = sqlite3_column_double(statement, column)};
    case SQLITE_TEXT:
      return {.kind = Value::Kind::text,
              .bytes = bytes_of(statement, column, sqlite3_column_text(statement, column))};
    case SQLITE_BLOB:
      return {.kind = Value::Kind::blob,
              .bytes = bytes_of(statement, column, sqlite3_column_blob(statement, column))};
    default:
      return {};
  }
}

}  // namespace

void bind_all(const PreparedStatement& prepared, std::span<const Value> values) {
  int index = 0;
  for (const std::size_t parameter : prepared.parameters()) {
    if (parameter >= values.size()) {
      throw Failure(FailureKind::values, "there is no value for $" + std::to_string(parameter + 1) +
                                             " of: " + prepared.sql());
    }
    bind(prepared.get(), ++index, values[parameter]);
  }
}

void begin_rows(sqlite3_stmt* statement, RowShape& shape, std::vector<Cell>& cells, RowSink& rows) {
  cells.resize(static_cast<std::size_t>(sqlite3_column_count(statement)));
  const std::span<std::string_view> names = shape.make_columns(cells.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    names[i] = sqlite3_column_name(statement, static_cast<int>(i));
  }
  rows.begin(shape);
}

int times_reprepared(sqlite3_stmt* statement) noexcept {
  return sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
}

void add_row(sqlite3_stmt* statement, std::span<Cell> cells, RowSink& rows) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = read_cell(statement, static_cast<int>(i));
  }
  rows.add(cells);
}

OpenCursor::OpenCursor(sqlite3* handle, std::string_view sql, std::span<const Value> values,
                       bool is_of_transaction)
    : values_(values.begin(), values.end()),
      prepared_(handle, sql),
      is_of_transaction_(is_of_transaction) {
  if (!prepared_.only_reads()) {
    throw Failure(FailureKind::statement,
                  "only a statement that does not write can be streamed, not: " + prepared_.sql());
  }
  bind_all(prepared_, values_);
}

bool OpenCursor::take(RowSink& rows) {
  bool has_begun = false;
  while (!rows.is_full()) {
    const int code = sqlite3_step(prepared_.get());
    if (code != SQLITE_DONE && code != SQLITE_ROW) {
      throw_sqlite(prepared_.get(), prepared_.sql());
    }
    if (!std::exchange(has_begun, true)) {
      begin_rows(prepared_.get(), shape_, cells_, rows);
    }
    if (code == SQLITE_DONE) {
      return true;
    }
    add_row(prepared_.get(), cells_, rows);
  }
  return false;
}

}  // namespace eider::db
