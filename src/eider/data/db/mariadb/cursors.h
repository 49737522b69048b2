// Statements whose rows are fetched in pieces, so that other statements can run in between.
// Layering: must not buffer more than one fetch of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>

#include "eider/data/db/connection.h"
#include "eider/data/db/mariadb/handles.h"
#include "eider/data/db/mariadb/row_flow.h"
#include "eider/data/db/mariadb/wire.h"
#include "eider/io/runtime/task.h"

namespace eider::db::mariadb {

class Cursors final : private RowFlowOwner {
 public:
  /// wire            outlives it, though not the statements: it is closed ahead of them
  /// row_bytes_max   a larger row fails as `row`
  Cursors(Wire& wire, std::size_t row_bytes_max) noexcept
      : wire_(wire), row_bytes_max_(row_bytes_max) {}

  /// Runs a statement, and keeps it.
  ///
  /// bind    gives it its values
  /// errors  throws Broken, Refused, what `bind` throws, and Failure(statement) where it gives no
  ///         rows
  [[nodiscard]] Task<> open(std::uint64_t number, std::string_view sql, StatementHandle statement,
                            std::function<void(MYSQL_STMT&)> bind);
  /// The next rows, until `rows` is full; behind the last one the cursor is over, and closed.
  ///
  /// errors  throws Broken, Refused, and Failure: of `rows`, of rows that are too large, and
  ///         Failure(statement) where there is no such cursor any more
  [[nodiscard]] Task<> take_piece(Cursor& cursor, RowSink& rows);
  /// Nobody wants the piece that is under way.
  void stop() noexcept;
  [[nodiscard]] Task<> close_all();
  /// Without a word to the server: the connection is closed.
  void clear() noexcept { open_.clear(); }

 private:
  struct Open {
    std::uint64_t number;
    std::string sql;
    StatementHandle statement;
    RowFlow flow;
    std::size_t fetch_rows = 1;
    std::size_t row_bytes_max = 1;  // of the largest one so far
  };
  using Place = std::list<Open>::iterator;

  void on_too_much() override {}  // the server has no more under way than one fetch
  static void choose_fetch(Open& open) noexcept;
  [[nodiscard]] Task<> close(Place place);

  Wire& wire_;
  std::size_t row_bytes_max_;
  std::list<Open> open_;
  RowFlow* current_ = nullptr;  // of the piece that is under way
};

}  // namespace eider::db::mariadb
