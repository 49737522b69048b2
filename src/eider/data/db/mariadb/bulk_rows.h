// Rows for one statement that runs once for each row, stored by column, for Connector/C.
// Layering: must not know the statement.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/job.h"
#include "eider/data/db/mariadb/handles.h"
#include "eider/data/db/mariadb/wire.h"
#include "eider/data/db/value.h"

namespace eider::db::mariadb {

class BulkRows final : public RowTransfer {
 public:
  /// row  a struct whose members are the columns
  explicit BulkRows(const reflect::Type& row);

  /// errors  Failure(values)  a value that columns cannot have: no part of the row is added then
  void add(const void* object);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Approximate size on the wire.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void clear() noexcept;

  /// The next execution runs once for each row; the rows must stay valid until then.
  ///
  /// wire    the connection that has prepared the statement
  /// errors  Failure(statement)  the number of parameters differs from the number of columns, or
  ///         the server does not support bulk execution
  void bind(const Wire& wire, MYSQL_STMT& statement, std::string_view sql);

 private:
  /// The cells of a column; for a text, the position of its end within all texts of the column.
  struct Column {
    Value::Kind kind = Value::Kind::null;  // of all values except NULL
    std::vector<char> indicators{};
    std::vector<long long> integers{};
    std::vector<double> reals{};
    std::string texts{};
    std::vector<std::size_t> ends{};
    std::vector<const char*> begins{};  // created for sending, like the next one
    std::vector<unsigned long> lengths{};
  };

  void add_value(Column& column, const Value& value);
  static void add_null(Column& column);
  void add_text(Column& column, std::string_view text);
  void cut(std::size_t rows) noexcept;
  [[nodiscard]] static MYSQL_BIND bind_of(Column& column);

  const reflect::Type* row_;
  std::vector<Column> columns_;
  std::vector<MYSQL_BIND> binds_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
};

/// Resets the statement afterwards, so that it runs once again for each execution.
class BulkBound {
 public:
  explicit BulkBound(MYSQL_STMT& statement) noexcept : statement_(statement) {}
  BulkBound(const BulkBound&) = delete;
  BulkBound& operator=(const BulkBound&) = delete;
  ~BulkBound();

 private:
  MYSQL_STMT& statement_;
};

/// Throws the failure of a row, with its line if the server reports it, starting at 1.
[[nodiscard]] Task<> throw_for_row(Wire& wire, ServerError error, std::string_view sql);

}  // namespace eider::db::mariadb
