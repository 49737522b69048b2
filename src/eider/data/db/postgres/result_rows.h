// Passes on the rows of a result cell by cell as they arrive.
// Layering: must not keep a row; its cells are valid only during the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/connection.h"
#include "eider/data/db/postgres/codec.h"
#include "eider/data/db/postgres/messages.h"

namespace eider::db::postgres {

/// Returns the number of changed or returned rows, from the server's tag.
///
/// given  number of received rows, which is used for a SELECT
[[nodiscard]] std::int64_t rows_of(std::string_view tag, std::int64_t given) noexcept;

/// The columns of a statement's results: names, and formats of the values.
class ResultShape {
 public:
  ResultShape() = default;
  ResultShape(ResultShape&&) = default;  // the names stay at their addresses
  ResultShape& operator=(ResultShape&&) = default;
  ~ResultShape() = default;

  /// Stores the server's description, including the names.
  ///
  /// format  of all columns; std::nullopt: as described
  void keep(std::span<const Column> columns, std::optional<Format> format);
  /// Returns whether the columns have these types.
  [[nodiscard]] bool is_of(std::span<const Column> columns) const noexcept;

 private:
  friend class ResultRows;

  /// The format of one column's values.
  struct Coding {
    Oid type;
    Format format;
  };

  RowShape rows_;
  std::vector<Coding> codings_;
  std::vector<std::string> names_;  // storage of the names
};

/// Reads the rows of one result after another, and reuses its memory.
class ResultRows {
 public:
  /// Reads the description of the result's rows.
  ///
  /// shape  of its statement, if that is prepared: it is updated; otherwise null
  void describe(std::string_view body, ResultShape* shape);
  /// Reads a row of the result.
  ///
  /// shape   of its statement, if that is prepared; otherwise null: the last description applies
  /// rows    null: rows are only counted
  /// errors  those of the sink, Failure(row) of `read_cell`, Failure(lost) of `read_row`
  void take(std::string_view body, ResultShape* shape, RowSink* rows);
  /// Ends the result.
  ///
  /// returns  number of rows
  std::int64_t end(ResultShape* shape, RowSink* rows);
  /// Discards the received part of a result.
  void begin() noexcept;
  /// Returns the size of the received rows in bytes.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// The result has columns.
  [[nodiscard]] bool has_columns(const ResultShape* shape) const noexcept {
    return !shape_of(shape).codings_.empty();
  }

 private:
  [[nodiscard]] const ResultShape& shape_of(const ResultShape* shape) const noexcept {
    return shape == nullptr ? own_shape_ : *shape;
  }
  ResultShape& open(ResultShape* shape, RowSink& rows);

  ResultShape own_shape_;
  std::vector<std::string_view> values_;
  std::vector<Cell> cells_;
  std::vector<CellRoom> rooms_;
  std::int64_t count_ = 0;
  std::size_t bytes_ = 0;
  bool is_open_ = false;  // the sink knows the columns
};

}  // namespace eider::db::postgres
