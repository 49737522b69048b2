// The rows of a result, handed on cell by cell.
// Must not keep a result: its cells are lent for the length of the call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "eider/db/connection.h"
#include "eider/db/postgres/codec.h"
#include "eider/db/postgres/handles.h"

namespace eider::db::postgres {

/// How many rows the statement changed or gave.
[[nodiscard]] std::int64_t rows_of(const PGresult& result) noexcept;

/// What the results of one statement have in common: each column's name, and how its values come.
class ResultShape {
 public:
  ResultShape() = default;
  ResultShape(ResultShape&&) = default;  // the names stay where they are
  ResultShape& operator=(ResultShape&&) = default;
  ~ResultShape() = default;

  /// As a result tells it, whose own memory the names are in.
  void read(const PGresult& result);
  /// As a description tells it of a statement whose rows come in `format`; the names are kept.
  void keep(const PGresult& description, Format format);
  /// Whether the columns of the result are of these types.
  [[nodiscard]] bool is_of(const PGresult& result) const noexcept;

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

/// With room that is used again and again.
class ResultRows {
 public:
  /// shape    of its statement, where that is prepared; else null, and found out here
  /// errors   what the sink throws, and Failure(row) of `read_cell`
  void hand_on(const PGresult& result, ResultShape* shape, RowSink& sink);

 private:
  ResultShape own_shape_;
  std::vector<Cell> cells_;
  std::vector<CellRoom> rooms_;
};

}  // namespace eider::db::postgres
