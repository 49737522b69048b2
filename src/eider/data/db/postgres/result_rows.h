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

/// How many rows the statement changed or gave, by what the server says at its end.
///
/// given  that have come: of a SELECT these count
[[nodiscard]] std::int64_t rows_of(std::string_view tag, std::int64_t given) noexcept;

/// What the results of one statement have in common: each column's name, and how its values come.
class ResultShape {
 public:
  ResultShape() = default;
  ResultShape(ResultShape&&) = default;  // the names stay where they are
  ResultShape& operator=(ResultShape&&) = default;
  ~ResultShape() = default;

  /// As the server describes it; the names are kept.
  ///
  /// format  how all of them come; nothing: as is said
  void keep(std::span<const Column> columns, std::optional<Format> format);
  /// Whether the columns are of these types.
  [[nodiscard]] bool is_of(std::span<const Column> columns) const noexcept;

 private:
  friend class ResultRows;

  /// How all values of one column come.
  struct Coding {
    Oid type;
    Format format;
  };

  RowShape rows_;
  std::vector<Coding> codings_;
  std::vector<std::string> names_;  // where they are kept
};

/// The rows of one answer after the other, with room that is used again and again.
class ResultRows {
 public:
  /// The answer's rows are described.
  ///
  /// shape  of its statement, where that is prepared, and told anew there; else null
  void describe(std::string_view body, ResultShape* shape);
  /// A row of the answer has come.
  ///
  /// shape   of its statement, where that is prepared; else null, and as it was described
  /// rows    null: they are counted alone
  /// errors  what the sink throws, Failure(row) of `read_cell`, Failure(lost) of `read_row`
  void take(std::string_view body, ResultShape* shape, RowSink* rows);
  /// There are no more.
  ///
  /// returns  how many there were
  std::int64_t end(ResultShape* shape, RowSink* rows);
  /// Forgets what has come of an answer.
  void begin() noexcept;
  /// How many bytes have come of its rows.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// It has columns.
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
