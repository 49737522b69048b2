// Rows for one statement that runs once for each, column by column, for Connector/C.
// Layering: must not know which statement.
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
  /// row  a struct, whose members are the columns
  explicit BulkRows(const reflect::Type& row);

  /// errors  Failure(values)  a value that no column can have: nothing of the row is added
  void add(const void* object);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// About what they take on their way.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void clear() noexcept;

  /// The next execution of it is one for each row; they are pointed to until then.
  ///
  /// wire    that it was prepared by
  /// errors  Failure(statement)  it has other parameters than there are columns, or the server
  ///                             takes one row at a time
  void bind(const Wire& wire, MYSQL_STMT& statement, std::string_view sql);

 private:
  /// A cell of each row; of a text, where it ends among all of the column's.
  struct Column {
    Value::Kind kind = Value::Kind::null;  // of all but the null ones
    std::vector<char> indicators{};
    std::vector<long long> integers{};
    std::vector<double> reals{};
    std::string texts{};
    std::vector<std::size_t> ends{};
    std::vector<const char*> begins{};  // made for sending, as are these
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

/// Behind this a statement is done once again, whatever was bound.
class BulkBound {
 public:
  explicit BulkBound(MYSQL_STMT& statement) noexcept : statement_(statement) {}
  BulkBound(const BulkBound&) = delete;
  BulkBound& operator=(const BulkBound&) = delete;
  ~BulkBound();

 private:
  MYSQL_STMT& statement_;
};

/// What a row was refused with, and which it was as far as the server tells; from 1.
[[nodiscard]] Task<> throw_for_row(Wire& wire, ServerError error, std::string_view sql);

}  // namespace eider::db::mariadb
