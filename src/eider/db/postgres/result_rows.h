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

/// With room that is used again and again.
class ResultRows {
 public:
  /// errors   what the sink throws, and Failure(row) of `read_cell`
  void hand_on(const PGresult& result, RowSink& sink);

 private:
  /// How all values of one column came.
  struct Coding {
    Oid type;
    Format format;
  };

  std::vector<std::string_view> columns_;
  std::vector<Coding> codings_;
  std::vector<Cell> cells_;
  std::vector<CellRoom> rooms_;
};

}  // namespace eider::db::postgres
